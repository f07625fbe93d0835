/// The names of a source text's public declarations.
///
/// Each stands under its own name and under those with its types in front, with and without argument labels: `of(_:)`,
/// `Views.of(_:)`, `Views.of`.
struct PublicDeclarations {
    private(set) var names: Set<String> = []

    private var tokens: [SwiftToken] = []
    private var index = 0
    /// The braces that are open: the type that one belongs to, nil for any other.
    private var scopes: [Scope?] = []
    private var pending: Scope?

    private struct Scope {
        var type: [String]
        /// The keyword, where the type is marked public.
        var publicKeyword: String?
    }

    mutating func add(_ source: String) {
        tokens = Array(SwiftTokens(source))
        (index, scopes, pending) = (0, [], nil)
        while index < tokens.count {
            let token = tokens[index]
            index += 1
            switch token {
            case .symbol("{"):
                scopes.append(pending)
                pending = nil
            case .symbol("}"): scopes.removeLast()
            case .word(let keyword): if scopes.allSatisfy({ $0 != nil }) { declaration(keyword) }
            default: break
            }
        }
    }

    private mutating func declaration(_ keyword: String) {
        let isPublic = isMarkedPublic || scopes.last??.publicKeyword == "protocol"
        switch keyword {
        case "struct", "enum", "class", "protocol", "extension":
            let name = path()
            if name.isEmpty { return }
            if keyword != "extension", isPublic { add(name, []) }
            pending = Scope(type: name, publicKeyword: isPublic ? keyword : nil)
        case "func", "init":
            let name = keyword == "init" ? ["init"] : path()
            guard !name.isEmpty else { return }
            if peek == .symbol("?") { index += 1 }
            if peek == .symbol("<") { skip("<", ">") }
            guard peek == .symbol("(") else { return }
            let labels = labels()
            if isPublic { add(name, labels) }
        case "var", "let", "typealias":
            let name = path()
            if isPublic { add(name, []) }
        case "case": if scopes.last??.publicKeyword == "enum" { cases() }
        default: break
        }
    }

    /// The cases of a public enum after one keyword.
    private mutating func cases() {
        repeat {
            let name = path()
            let labels = peek == .symbol("(") ? labels() : []
            add(name, labels)
            while let token = peek, index < tokens.count {
                if token == .symbol(",") || token == .symbol("}") { break }
                if case .word(let word) = token, Int(word) == nil { break }
                index += 1
            }
            guard peek == .symbol(",") else { return }
            index += 1
        } while true
    }

    private var peek: SwiftToken? { index < tokens.count ? tokens[index] : nil }

    /// Whether `public` stands among the modifiers before the keyword.
    private var isMarkedPublic: Bool {
        for token in tokens[..<(index - 1)].reversed() {
            switch token {
            case .word("public"): return true
            case .word("static"), .word("final"), .word("mutating"), .word("borrowing"), .word("private"), .word("set"),
                .word("internal"), .symbol("("), .symbol(")"):
                continue
            default: return false
            }
        }
        return false
    }

    /// A name, with those of the types that it is nested in.
    private mutating func path() -> [String] {
        var path: [String] = []
        while true {
            switch peek {
            case .word(let name), .quotedWord(let name): path.append(name)
            default: return path
            }
            index += 1
            guard peek == .symbol(".") else { return path }
            index += 1
        }
    }

    private mutating func skip(_ open: Character, _ close: Character) {
        var depth = 0
        repeat {
            if peek == .symbol(open) { depth += 1 }
            if peek == .symbol(close) { depth -= 1 }
            index += 1
        } while depth > 0 && index < tokens.count
    }

    /// The argument labels of the list that begins here.
    private mutating func labels() -> [String] {
        var labels: [String] = []
        var depth = 0
        var words: [String]? = []
        repeat {
            let token = peek
            index += 1
            switch token {
            case .symbol("("), .symbol("["), .symbol("{"), .symbol("<"):
                depth += 1
            case .symbol(")"), .symbol("]"), .symbol("}"), .symbol(">"):
                depth -= 1
                if depth == 0, words?.isEmpty == false { labels.append("_") }
            case .symbol(",") where depth == 1:
                if words?.isEmpty == false { labels.append("_") }
                words = []
            case .symbol(":") where depth == 1:
                if let first = words?.first { labels.append(first) }
                words = nil
            case .word(let word), .quotedWord(let word):
                words?.append(word)
            default: break
            }
        } while depth > 0 && index < tokens.count
        return labels
    }

    private mutating func add(_ name: [String], _ labels: [String]) {
        let path = scopes.flatMap { $0?.type ?? [] } + name
        let arguments = labels.isEmpty ? "()" : "(" + labels.map { $0 + ":" }.joined() + ")"
        for first in path.indices {
            let name = path[first...].joined(separator: ".")
            names.insert(name)
            names.insert(name + arguments)
        }
    }
}
