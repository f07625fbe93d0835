import Foundation
import Testing

@Suite(
    "Samples in the comments of the main types",
    .enabled(if: SnippetCompiler.compiler != nil, "swiftc is not on the path"),
    .enabled(if: SnippetCompiler.modules != nil, "the built modules are not beside the tests"),
    .timeLimit(.minutes(30)))
struct CommentSampleTests {
    private static let types = [
        "MessageStore", "Configuration", "Event", "Views", "Message", "Conversation", "Projection",
    ]

    /// What the samples take from their reader.
    private static let prelude = """
        import MessageStore
        struct Pin: FieldGroup {
            var time: Timestamp
            static let field = Field<Timestamp>(1, "time")
            init(_ time: Timestamp) { self.time = time }
            init(from fields: inout some FieldDecoder) throws { time = try fields.decode(Self.field) }
            func encode(to fields: inout some FieldEncoder) throws { try fields.encode(time, for: Self.field) }
        }

        """

    /// The sample in the comment of a type.
    private func sample(of type: String) throws -> String {
        let declaration = try Regex("^ *public (final )?(struct|class|protocol) \(type)\\b[^.]")
        for file in try RepositoryText.swiftFiles(in: "Sources") where file.lastPathComponent.hasSuffix(type + ".swift")
        {
            let lines = try RepositoryText.text(of: file).split(separator: "\n", omittingEmptySubsequences: false)
            guard let end = lines.firstIndex(where: { $0.firstMatch(of: declaration) != nil }) else { continue }
            let comment = lines[..<end].reversed().prefix { $0.drop { $0 == " " }.hasPrefix("///") }.reversed()
            let text = comment.map { $0.drop { $0 == " " }.dropFirst(3) }.joined(separator: "\n")
            let parts = text.components(separatedBy: " ```swift\n")
            // Another type may have the name.
            if let sample = parts.dropFirst().first?.components(separatedBy: " ```").first { return sample }
        }
        return try #require(nil as String?, "\(type) has no sample")
    }

    @Test("they compile")
    func compile() throws {
        let functions = try Self.types.map { type in
            let sample = try sample(of: type)
            #expect(!sample.isEmpty, "\(type)")
            return "func of\(type)(_ store: MessageStore) async throws {\n\(sample)\n}\n"
        }
        let found = try SnippetCompiler.diagnostics(of: Self.prelude + functions.joined(), in: "Samples.swift")
        #expect(found.filter { !$0.contains(": warning: ") } == [])
    }
}
