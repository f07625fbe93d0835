import Foundation
import Testing

@Suite("The page of limits")
struct LimitsTests {
    private struct Source: Hashable {
        let type: String
        let name: String
    }

    /// The rows of the page: the sources of each, and its values.
    private func rows() throws -> [(sources: [Source], values: [String])] {
        let page = try RepositoryText.text(of: RepositoryText.root.appendingPathComponent("Docs/Limits.md"))
        return page.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("| "), cells.count == 4 else { return nil }
            let sources = cells[3].matches(of: /`([\w+]+)\.(\w+)`/).map {
                Source(type: String($0.output.1), name: String($0.output.2))
            }
            return sources.isEmpty ? nil : (sources, cells[1].components(separatedBy: "; "))
        }
    }

    /// The value that the file of the type's name gives the name, or else one that declares or extends the type, from there on.
    private func value(of source: Source) throws -> String? {
        let declaration = try Regex(
            #"(?:let|var|    ) ?\#(source.name)(?:: [\w<>]+)? (?:= |\{ )([^\n,)}]+(?:\([^)\n]*\))?)"#,
            as: (Substring, Substring).self)
        let files = try SourceFile.all(in: "Sources")
        let own = files.filter { $0.path.hasSuffix("/\(source.type).swift") }
        let type = try Regex(#"\b(?:struct|enum|class|extension) \#(source.type)\b"#)
        for file in own + files.filter({ $0.typeNames.contains(source.type) }) {
            let text = file.lines.joined(separator: "\n")
            let start = text.firstRange(of: type)?.lowerBound ?? text.startIndex
            if let found = text[start...].firstMatch(of: declaration) { return evaluated(found.output.1) }
        }
        return nil
    }

    /// A number, a product, a shift, a duration or the end of a range, in digits.
    private func evaluated(_ expression: Substring) -> String {
        let text = expression.replacing("_", with: "").replacing(/^(?:Duration)?\.\w+\(|\)|\s+$|^\d+\.\.\./, with: "")
        if let parts = text.wholeMatch(of: /(\d+) << (\d+)/), let number = UInt64(parts.output.1) {
            return "\(number << (UInt64(parts.output.2) ?? 0))"
        }
        return String(text)
    }

    @Test("each value is that of the source")
    func values() throws {
        let rows = try rows()
        #expect(rows.count > 20)
        for row in rows {
            #expect(row.sources.count == row.values.count, "\(row.sources)")
            for (source, value) in zip(row.sources, row.values) {
                #expect(try self.value(of: source) == value, "\(source.type).\(source.name)")
            }
        }
    }

    @Test("every public limit is on the page")
    func complete() throws {
        let names = Set(try rows().flatMap(\.sources).map(\.name))
        let limit =
            /public static (?:let|var) (\w*(?:[lL]imits?|[mM]aximum|[gG]reatest|[cC]apacity|Bytes)\w*)(?:: [\w<>]+)? (?:=|\{)/
        for file in try RepositoryText.swiftFiles(in: "Sources") {
            let isOfTests = ["TestKit", "Workload"].contains { file.path.contains("MessageStore\($0)/") }
            // Another name of a value that is on the page, and one that limits nothing.
            let known = ["maximumFileBytes", "textLimit", "unlimited"]
            for found in try RepositoryText.text(of: file).matches(of: limit) where !isOfTests {
                let name = String(found.output.1)
                #expect(names.contains(name) || known.contains(name), "\(file.lastPathComponent): \(name)")
            }
        }
    }
}
