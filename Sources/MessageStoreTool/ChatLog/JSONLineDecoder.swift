#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decodes single lines of JSON.
struct JSONLineDecoder {
    private let decoder = JSONDecoder()

    /// Decodes one line, which must be strict UTF-8 and hold one JSON object.
    func decode<Content: Decodable>(
        _ content: Content.Type, from line: ArraySlice<UInt8>
    ) throws(ChatLogLineFault) -> Content {
        guard String(validating: line, as: UTF8.self) != nil else { throw ChatLogLineFault(.invalidUTF8) }
        // A decoder which meets NUL among the first bytes would take the line for UTF-16 or UTF-32.
        guard !line.prefix(4).contains(0) else { throw ChatLogLineFault(.invalidJSON) }
        do {
            return try decoder.decode(content, from: Data(line))
        } catch let fault as ChatLogLineFault {
            throw fault
        } catch DecodingError.typeMismatch {
            throw ChatLogLineFault(.invalidJSON, "not an object")
        } catch {
            throw ChatLogLineFault(.invalidJSON)
        }
    }
}
