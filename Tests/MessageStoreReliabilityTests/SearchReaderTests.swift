#if os(macOS) || os(Linux)
import Foundation
import Testing

@Suite("Search: a store that another process writes", .timeLimit(.minutes(30)))
struct SearchReaderTests {
    @Test("a process that reads only searches with the index of the one that writes, and finds what a scan finds")
    func reader() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        let (writer, reader, scanner) = (Worker(), Worker(), Worker())
        var positions: Set<String> = []
        for round in 1...(Battery.isOn ? 8 : 4) {
            let last = try Self.line(writer.ask(["search-grow", path]))
            let found = try Self.line(reader.ask(["search-read", path, "indexed"])).split(
                separator: "\t", omittingEmptySubsequences: false)
            let expected = try Self.line(scanner.ask(["search-read", path, "scanned"])).split(
                separator: "\t", omittingEmptySubsequences: false)
            #expect(found.dropFirst() == expected.dropFirst() && found.count > 10, "round \(round)")
            #expect(!found.contains("not complete"))
            if round.isMultiple(of: 2) { #expect(String(found[0]) == last) }
            positions.insert(String(found[0]))
        }
        #expect(positions.count >= (Battery.isOn ? 4 : 2))
    }

    private static func line(_ answer: Worker.Answer) throws -> String {
        guard case .line(let line) = answer, !line.hasPrefix("error") else {
            Issue.record("\(answer)")
            return ""
        }
        return line
    }
}
#endif
