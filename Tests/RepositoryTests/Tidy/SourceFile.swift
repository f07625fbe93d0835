import Foundation

/// A source file as the tidy test looks at it.
struct SourceFile {
    struct Token {
        let token: SwiftToken
        let line: Int
    }

    /// The path from the repository's root.
    let path: String
    let lines: [Substring]
    let tokens: [Token]
    /// Every part of the names of types that are declared or extended.
    let typeNames: Set<String>

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var scanner = SwiftTokens(text)
        var tokens: [Token] = []
        var (line, offset) = (1, 0)
        let bytes = Array(text.utf8)
        while let token = scanner.next() {
            line += bytes[offset..<scanner.start].count { $0 == UInt8(ascii: "\n") }
            offset = scanner.start
            tokens.append(Token(token: token, line: line))
        }
        self.tokens = tokens
        typeNames = Self.typeNames(in: tokens)
    }

    private static func typeNames(in tokens: [Token]) -> Set<String> {
        let keywords: Set<String> = ["struct", "enum", "class", "actor", "protocol", "extension", "typealias"]
        var names: Set<String> = []
        for index in tokens.indices {
            guard case .word(let keyword) = tokens[index].token, keywords.contains(keyword) else { continue }
            var next = index + 1
            while next < tokens.count, case .word(let name) = tokens[next].token {
                names.insert(name)
                guard next + 1 < tokens.count, tokens[next + 1].token == .symbol(".") else { break }
                next += 2
            }
        }
        return names
    }

    /// The Swift files of sources and tests, read once for all tests.
    private static let everything = Result {
        let root = RepositoryText.root.path + "/"
        let files = try RepositoryText.swiftFiles(in: "Sources") + RepositoryText.swiftFiles(in: "Tests")
        return try files.sorted { $0.path < $1.path }.map { url in
            SourceFile(path: String(url.path.dropFirst(root.count)), text: try RepositoryText.text(of: url))
        }
    }

    /// The Swift files of a directory of sources or tests and below, in the order of their paths.
    static func all(in directory: String) throws -> [SourceFile] {
        try everything.get().filter { $0.path.hasPrefix(directory + "/") }
    }

    /// The file's name without extension, up to a plus sign.
    var typeName: String {
        let name = path.split(separator: "/").last?.dropLast(".swift".count) ?? ""
        return String(name.prefix { $0 != "+" })
    }

    func isWord(_ index: Int, _ words: String...) -> Bool {
        guard tokens.indices.contains(index), case .word(let word) = tokens[index].token else { return false }
        return words.contains(word)
    }

    func isSymbol(_ index: Int, _ symbol: Character) -> Bool {
        tokens.indices.contains(index) && tokens[index].token == .symbol(symbol)
    }

    /// The index of the token that closes what the one at `index` opens.
    func closing(_ index: Int) -> Int {
        var depth = 0
        for next in index..<tokens.count {
            switch tokens[next].token {
            case .symbol("("), .symbol("["), .symbol("{"): depth += 1
            case .symbol(")"), .symbol("]"), .symbol("}"): depth -= 1
            default: break
            }
            if depth == 0 { return next }
        }
        return tokens.count - 1
    }
}

extension SourceFile {
    struct Function {
        let line: Int
        let length: Int
    }

    /// The functions and initialisers that have a body.
    var functions: [Function] {
        tokens.indices.compactMap { index in
            guard isWord(index, "func", "init", "deinit"), !isSymbol(index - 1, "."), let body = body(after: index)
            else {
                return nil
            }
            let line = tokens[index].line
            let end = closing(body)
            return Function(line: line, length: tokens[end].line - line + 1 - linesOfSwitch(in: body, end))
        }
    }

    /// The lines of the switch that ends a body, which are its cases; 0 if none does.
    private func linesOfSwitch(in body: Int, _ end: Int) -> Int {
        var next = body + 1
        while next < end {
            let close = closing(next)
            if close == end - 1, isSymbol(next, "{"),
                let start = (body..<next).last(where: { isWord($0, "switch") })
            {
                return tokens[close].line - tokens[start].line
            }
            next = close + 1
        }
        return 0
    }

    /// The index of the brace that opens the body of a function; nil for a requirement of a protocol.
    private func body(after index: Int) -> Int? {
        var next = index + 1
        while next < tokens.count {
            switch tokens[next].token {
            case .symbol("{"): return next
            case .symbol("}"): return nil
            case .symbol("("), .symbol("["): next = closing(next)
            case .word("func"), .word("var"), .word("init"), .word("static"), .word("associatedtype"): return nil
            default: break
            }
            next += 1
        }
        return nil
    }
}
