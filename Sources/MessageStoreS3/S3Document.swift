#if S3
internal import Foundation

#if canImport(FoundationXML)
internal import FoundationXML
#endif

/// A list or a failure in the XML of a service like S3.
final class S3Document: NSObject, XMLParserDelegate {
    private(set) var root = ""
    /// The texts of the root's children.
    private(set) var values: [String: String] = [:]
    /// The keys of a list, as the document has them.
    private(set) var keys: [String] = []
    private var path: [String] = []
    private var text = ""

    /// Nil where the bytes are no whole document.
    init?(_ bytes: [UInt8]) {
        super.init()
        guard !bytes.isEmpty else { return nil }
        let parser = XMLParser(data: Data(bytes))
        parser.delegate = self
        guard parser.parse() else { return nil }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        if path.isEmpty { root = name }
        path.append(name)
        text = ""
    }

    func parser(_ parser: XMLParser, foundCharacters more: String) { text += more }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        if path.count == 2 {
            values[name] = text
        } else if path.count == 3, name == "Key", path[1] == "Contents" {
            keys.append(text)
        }
        _ = path.popLast()
        text = ""
    }
}
#endif
