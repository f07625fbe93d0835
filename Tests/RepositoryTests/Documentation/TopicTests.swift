import Foundation
import Testing

@Suite("The topics of the documentation")
struct TopicTests {
    /// The types that are declared public outside of other types.
    private func publicTypes(of module: String) throws -> Set<String> {
        let declaration = #/^public (?:final )?(?:struct|enum|class|actor|protocol) (\w+)/#
        return try Set(
            // Linux has no symbols for what is under SwiftUI's condition.
            SourceFile.all(in: "Sources/" + module).filter { $0.lines[0] != "#if canImport(SwiftUI)" }.flatMap(\.lines)
                .compactMap { line in
                    line.prefixMatch(of: declaration).map { String($0.1) }
                })
    }

    /// The symbols of the module itself that its page lists in groups of topics.
    private func topics(of module: String) throws -> [String] {
        let page = RepositoryText.root.appendingPathComponent("Sources/\(module)/\(module).docc/\(module).md")
        let lines = try RepositoryText.text(of: page).components(separatedBy: "\n## Topics\n").last ?? ""
        return lines.split(separator: "\n").filter { $0.hasPrefix("- ``") && !$0.hasPrefix("- ``/") }.map {
            // The class `MessageStore` has the name of its module in front.
            String($0.dropFirst(4).dropLast(2).split(separator: "/").last ?? "")
        }
    }

    @Test(
        "every public type is in one group of topics",
        arguments: [
            "MessageStoreLog", "MessageStoreProjections", "MessageStore", "MessageStoreSearch", "MessageStoreSharing",
            "MessageStoreMatrix", "MessageStoreMigration", "MessageStoreObservation", "MessageStoreTestKit",
        ])
    func topics(module: String) throws {
        let topics = try topics(of: module)
        let types = try publicTypes(of: module)
        #expect(!types.isEmpty)
        #expect(
            types.subtracting(topics).sorted() == [],
            "Sources/\(module)/\(module).docc/\(module).md lacks lines \"- ``Type``\" for them in its Topics")
        #expect(Dictionary(grouping: topics) { $0 }.filter { $0.value.count > 1 }.keys.sorted() == [])
    }
}
