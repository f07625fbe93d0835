import Testing

@Suite(
    "What the compiler enforces",
    .enabled(if: SnippetCompiler.compiler != nil, "swiftc is not on the path"),
    .enabled(if: SnippetCompiler.modules != nil, "the built modules are not beside the tests"),
    .timeLimit(.minutes(30)))
struct CompilerTests {
    private static let control = "Control"

    @Test(
        "I8: no transaction crosses an await or a thread, and no borrowed bytes leave; an event has its scope",
        arguments: SnippetCompiler.names
    )
    func snippets(name: String) throws {
        let errors = try SnippetCompiler.errors(of: name)
        let line = try SnippetCompiler.firstLine(of: name)
        guard name != Self.control else {
            #expect(errors == [], "without this one the others prove nothing")
            return
        }
        try #require(line.hasPrefix("Expected: "), "the first line says which error is expected")
        let expected = line.dropFirst("Expected: ".count)
        #expect(errors.count == 1 && errors.allSatisfy { $0.contains(expected) }, "\(errors)")
    }

    @Test("the control and the snippets are there")
    func names() {
        #expect(SnippetCompiler.names.contains(Self.control) && SnippetCompiler.names.count >= 8)
    }
}
