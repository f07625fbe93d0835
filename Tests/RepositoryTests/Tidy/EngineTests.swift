import Testing

@Suite("The engine of the projections names no feature")
struct EngineTests {
    private let engine: [SourceFile]
    private let folds: [SourceFile]

    init() throws {
        engine = try SourceFile.all(in: "Sources/MessageStoreProjections/Engine")
        folds = try SourceFile.all(in: "Sources/MessageStoreProjections/Folds")
    }

    /// The types that files declare outside other types, and the constants that name projections.
    private func declared(_ files: [SourceFile]) -> (types: Set<String>, projections: Set<String>) {
        var (types, projections): (Set<String>, Set<String>) = ([], [])
        for file in files {
            var index = 0
            while index < file.tokens.count {
                if file.isWord(index, "struct", "enum", "class", "actor", "protocol", "typealias"),
                    case .word(let name) = file.tokens[index + 1].token
                {
                    types.insert(name)
                }
                if file.isWord(index, "extension"), file.isWord(index + 1, "ProjectionID") {
                    let body = index + 2..<file.closing(index + 2)
                    for next in body where file.isWord(next, "let") {
                        if case .word(let name) = file.tokens[next + 1].token { projections.insert(name) }
                    }
                }
                index = file.isSymbol(index, "{") ? file.closing(index) + 1 : index + 1
            }
        }
        return (types, projections)
    }

    /// Where files name a type of a set, or a constant of another one after a point.
    private func naming(_ files: [SourceFile], _ types: Set<String>, _ constants: Set<String>) -> [String] {
        files.flatMap { file in
            file.tokens.indices.compactMap { index in
                guard case .word(let name) = file.tokens[index].token else { return nil }
                let isConstant = constants.contains(name) && file.isSymbol(index - 1, ".") && !isMember(file, index - 2)
                return types.contains(name) || isConstant ? "\(file.path):\(file.tokens[index].line) \(name)" : nil
            }
        }
    }

    /// Whether a token ends an expression, so that what comes after a point is its member.
    private func isMember(_ file: SourceFile, _ index: Int) -> Bool {
        guard file.tokens.indices.contains(index) else { return false }
        if case .word(let word) = file.tokens[index].token { return word != "case" && word != "return" }
        return [")", "]", "}", "?", "!"].contains { file.isSymbol(index, $0) }
    }

    @Test("no file of Engine names a type or a projection of Folds; the registry and the fast path are above both")
    func names() {
        let (types, projections) = declared(folds)
        #expect(types.count > 150 && types.contains("Timeline") && projections.count == 19)
        // A projection and an array have the same name for their parts.
        #expect(naming(engine, types, projections) == [])
    }

    @Test("a type, a nested one, a projection and a member of the same name, as the rule sees them")
    func rule() {
        let fold = SourceFile(
            path: "Folds/Pins.swift",
            text: "struct Pins { struct Row {} }\nextension ProjectionID { static let pins: Self = \"\" }")
        let (types, projections) = declared([fold])
        #expect(types == ["Pins"] && projections == ["pins"])
        let lines = ["let a = Pins.table", "let b = [.pins]", "let c = views.pins", "struct Row {}", "// Pins"]
        let file = SourceFile(path: "Engine/File.swift", text: lines.joined(separator: "\n"))
        #expect(naming([file], types, projections) == ["Engine/File.swift:1 Pins", "Engine/File.swift:2 pins"])
    }
}
