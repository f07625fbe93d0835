import Foundation

/// This repository's own files, as the tests about them read them.
enum RepositoryText {
    static let root = (1...4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    /// The rows of `Docs/Requirements.md`, in their order.
    static func requirementRows() throws -> [RequirementRow] {
        try text(of: root.appendingPathComponent("Docs/Requirements.md")).split(separator: "\n").compactMap(
            RequirementRow.init)
    }

    /// The rows of `Docs/Invariants.md`, in their order.
    static func invariantRows() throws -> [InvariantRow] {
        try text(of: root.appendingPathComponent("Docs/Invariants.md")).split(separator: "\n").compactMap(
            InvariantRow.init)
    }

    /// The names of the modules' public declarations.
    static func publicNames() throws -> Set<String> {
        var declarations = PublicDeclarations()
        for module in ["MessageStoreLog", "MessageStoreProjections", "MessageStore"] {
            for file in try swiftFiles(in: "Sources/" + module) { declarations.add(try text(of: file)) }
        }
        return declarations.names
    }

    /// The display names of the tests in a directory and below; none where it does not exist.
    static func testNames(in directory: String) throws -> [String] {
        try SourceFile.all(in: directory).flatMap { names(given: "Test", to: "func", in: $0) }
    }

    /// The display names of the suites in a directory and below.
    static func suiteNames(in directory: String) throws -> [String] {
        try SourceFile.all(in: directory).flatMap { names(given: "Suite", to: "struct", in: $0) }
    }

    /// The names of tests in a source text, given as a string or as a raw identifier.
    static func displayNames(in source: String) -> [String] {
        names(given: "Test", to: "func", in: SourceFile(path: "", text: source))
    }

    /// The names of suites in a source text, given as a string or as a raw identifier.
    static func suiteTitles(in source: String) -> [String] {
        names(given: "Suite", to: "struct", in: SourceFile(path: "", text: source))
    }

    private static func names(given attribute: String, to keyword: String, in file: SourceFile) -> [String] {
        let tokens = file.tokens
        return tokens.indices.compactMap { index in
            guard file.isWord(index, attribute), file.isSymbol(index - 1, "@") else { return nil }
            if tokens.count > index + 2, file.isSymbol(index + 1, "("), case .string(let name) = tokens[index + 2].token
            {
                return name
            }
            guard let function = tokens[index...].firstIndex(where: { $0.token == .word(keyword) }),
                function + 1 < tokens.count, case .quotedWord(let name) = tokens[function + 1].token
            else { return nil }
            return name
        }
    }

    static func swiftFiles(in directory: String) throws -> [URL] {
        let files = FileManager.default.enumerator(
            at: root.appendingPathComponent(directory), includingPropertiesForKeys: nil)
        return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
    }

    /// The documents and Swift files of a directory and below, without those of builds; a file itself.
    static func files(in path: String) throws -> [URL] {
        let place = root.appendingPathComponent(path)
        guard place.pathExtension != "md" else { return [place] }
        let files = FileManager.default.enumerator(
            at: place, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        return (files?.allObjects as? [URL] ?? []).filter { ["md", "swift"].contains($0.pathExtension) }
    }

    static func text(of file: URL) throws -> String {
        try String(contentsOf: file, encoding: .utf8)
    }
}
