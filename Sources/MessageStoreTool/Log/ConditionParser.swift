/// Reads a condition by recursive descent.
///
/// Before it reads on it skips spaces, so errors point at characters.
struct ConditionParser {
    /// A part with its meaning and its beginning.
    private struct Part {
        let node: ConditionNode
        let kind: ConditionValue.Kind
        let offset: Int
    }

    private static let greatestDepth = 100

    private let text: String
    private let characters: [Character]
    private var offset = 0
    private var depth = 0
    private(set) var terms: [ConditionTerm] = []

    init(_ text: String) {
        self.text = text
        characters = Array(text)
    }

    /// Reads the whole text.
    ///
    /// - Throws: ``ConditionError`` at the first character that does not fit.
    mutating func condition() throws -> ConditionNode {
        let node = try truth(any())
        guard next() == nil else { throw error("expected and, or, or the end") }
        return node
    }

    /// Reads the whole text as one term.
    ///
    /// - Throws: ``ConditionError`` where it is none.
    mutating func value() throws -> ConditionNode {
        let part = try operand()
        guard case .term = part.node else { throw error(Self.expectedOperand, at: part.offset) }
        guard next() == nil else { throw error("expected the end") }
        return part.node
    }

    private mutating func any() throws -> Part {
        try chain(of: { try $0.all() }, word: "or", symbol: "||") { .any($0) }
    }

    private mutating func all() throws -> Part {
        try chain(of: { try $0.negation() }, word: "and", symbol: "&&") { .all($0) }
    }

    private mutating func chain(
        of part: (inout Self) throws -> Part, word: String, symbol: String, _ node: ([ConditionNode]) -> ConditionNode
    ) throws -> Part {
        let first = try part(&self)
        var parts = [first]
        while takes(word: word) || takes(symbol: symbol) { parts.append(try part(&self)) }
        guard parts.count > 1 else { return first }
        return Part(node: node(try parts.map(truth)), kind: .truth, offset: first.offset)
    }

    private mutating func negation() throws -> Part {
        _ = next()
        let start = offset
        guard takes(word: "not") || takes(symbol: "!") else { return try comparison() }
        return Part(node: .not(try truth(nested { try $0.negation() })), kind: .truth, offset: start)
    }

    private mutating func comparison() throws -> Part {
        let operand = try operand()
        _ = next()
        let place = offset
        guard let comparison = ConditionOperator.allCases.first(where: { takes(symbol: $0.rawValue) }) else {
            if takes(symbol: "=") { throw error("expected == to compare", at: place) }
            return operand
        }
        let other = try self.operand()
        let (first, second) = (try fitting(operand, other.kind), try fitting(other, operand.kind))
        guard first.kind == second.kind else {
            throw error("\(first.kind.rawValue) is compared with \(second.kind.rawValue)", at: second.offset)
        }
        if comparison.isOrder, first.kind != .number, first.kind != .time {
            throw error("only numbers and times are compared by \(comparison.rawValue); expected == or !=", at: place)
        }
        return Part(node: .comparison(first.node, comparison, second.node), kind: .truth, offset: first.offset)
    }

    private mutating func operand() throws -> Part {
        guard let character = next() else { throw error(Self.expectedOperand) }
        let start = offset
        if takes(symbol: "(") {
            let part = try nested { try $0.any() }
            guard takes(symbol: ")") else { throw error("expected and, or, or )") }
            return Part(node: part.node, kind: part.kind, offset: start)
        }
        if character.isDigit { return try number() }
        if character.isQuote {
            let word = try quoted()
            guard Bool(word) == nil, !ConditionValue.statuses.contains(word) else {
                return try literal(word, at: start)
            }
            return Part(node: .value(.text(word)), kind: .text, offset: start)
        }
        let word = takeWhile(\.isWord)
        guard !word.isEmpty, !["and", "or", "not"].contains(word) else { throw error(Self.expectedOperand, at: start) }
        if let function = ConditionFunction.named(word) { return try term(function, from: start) }
        if next() == "(" { throw error("there is no \(word)" + Self.remedy(word, isFunction: true), at: start) }
        return try literal(word, at: start)
    }

    /// A literal as the kind with which it is compared: a status, `true` and `false` can be texts, and a text a time.
    private func fitting(_ part: Part, _ kind: ConditionValue.Kind) throws -> Part {
        guard case .value(let value) = part.node else { return part }
        func fitted(_ value: ConditionValue) -> Part { Part(node: .value(value), kind: kind, offset: part.offset) }
        switch (value, kind) {
        case (.status("none"), .text), (.status("none"), .time): return fitted(value)
        case (.status, .text), (.truth, .text): return fitted(.text(value.words(hasContent: true)))
        case (.text(let word, _), .time):
            guard let time = Timestamp(iso8601: word) else { return part }
            return fitted(.time(time))
        case (.text(let word, _), .status):
            throw error("there is no \(word)" + Self.remedy(word, isFunction: false), at: part.offset)
        default: return part
        }
    }

    /// A number, or a time such as 2026-11-20T18:00:00Z.
    private mutating func number() throws -> Part {
        let start = offset
        let word = takeWhile { $0.isDigit || "-:.+TZ".contains($0) }
        if word.contains("-"), let time = Timestamp(iso8601: word) {
            return Part(node: .value(.time(time)), kind: .time, offset: start)
        }
        offset = start
        guard let number = Int(takeWhile(\.isDigit)) else { throw error("the number is too large", at: start) }
        return Part(node: .value(.number(number)), kind: .number, offset: start)
    }

    private func literal(_ word: String, at start: Int) throws -> Part {
        if let truth = Bool(word) { return Part(node: .value(.truth(truth)), kind: .truth, offset: start) }
        guard ConditionValue.statuses.contains(word) else {
            throw error("there is no \(word)" + Self.remedy(word, isFunction: false), at: start)
        }
        return Part(node: .value(.status(word)), kind: .status, offset: start)
    }

    private func truth(_ part: Part) throws -> ConditionNode {
        guard part.kind == .truth else {
            throw error("this is \(part.kind.rawValue); expected a comparison, as in badge > 0", at: part.offset)
        }
        return part.node
    }

    private mutating func nested<Result>(_ body: (inout Self) throws -> Result) throws -> Result {
        guard depth < Self.greatestDepth else { throw error("more than \(Self.greatestDepth) levels") }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }
}

// MARK: Terms

extension ConditionParser {
    private mutating func term(_ function: ConditionFunction, from start: Int) throws -> Part {
        var end = offset
        var arguments: [ConditionTerm.Argument] = []
        if takes(symbol: "(") {
            arguments = try self.arguments(of: function)
            end = offset
        } else if function.subject.counts.lowerBound > 0 {
            throw error("expected \(function.form)")
        }
        let term = ConditionTerm(function: function, arguments: arguments, text: String(characters[start..<end]))
        let number = terms.firstIndex { $0.asksSame(as: term) } ?? terms.count
        if number == terms.count { terms.append(term) }
        return Part(node: .term(number), kind: function.kind, offset: start)
    }

    /// The names after an opening parenthesis, and the closing one.
    private mutating func arguments(of function: ConditionFunction) throws -> [ConditionTerm.Argument] {
        var arguments: [ConditionTerm.Argument] = []
        while next() != ")" || !arguments.isEmpty {
            _ = next()
            let start = offset
            let name = characters[safe: offset]?.isQuote == true ? try quoted() : takeWhile(\.isName)
            guard offset > start else { throw error("expected a name: \(function.form)") }
            guard arguments.count < function.subject.counts.upperBound else {
                throw error("one name too many; expected \(function.form)", at: start)
            }
            arguments.append(ConditionTerm.Argument(text: name, offset: start))
            if next() == ")" { break }
            guard takes(symbol: ",") else { throw error("expected , or ), or quotes around a name with spaces") }
        }
        guard arguments.count >= function.subject.counts.lowerBound else { throw error("expected \(function.form)") }
        offset += 1
        return arguments
    }

    /// A text between quotes; a backslash takes the character after it as it is.
    private mutating func quoted() throws -> String {
        let start = offset
        let quote = characters[offset]
        var text = ""
        offset += 1
        while let character = characters[safe: offset], character != quote {
            if character == "\\" { offset += 1 }
            if let taken = characters[safe: offset] { text.append(taken) }
            offset += 1
        }
        guard offset < characters.count else { throw error("the quote has no end", at: start) }
        offset += 1
        return text
    }
}

// MARK: Characters

extension ConditionParser {
    /// The next character that is no space, where the parser then is.
    private mutating func next() -> Character? {
        while characters[safe: offset]?.isWhitespace == true { offset += 1 }
        return characters[safe: offset]
    }

    private mutating func takeWhile(_ fits: (Character) -> Bool) -> String {
        let taken = characters[offset...].prefix(while: fits)
        offset += taken.count
        return String(taken)
    }

    private mutating func takes(word: String) -> Bool {
        _ = next()
        guard String(characters[offset...].prefix(while: \.isWord)) == word else { return false }
        offset += word.count
        return true
    }

    private mutating func takes(symbol: String) -> Bool {
        _ = next()
        guard characters[offset...].starts(with: symbol) else { return false }
        offset += symbol.count
        return true
    }

    private func error(_ message: String, at offset: Int? = nil) -> ConditionError {
        ConditionError(text: text, offset: offset ?? self.offset, message: message)
    }

    private static let expectedOperand = "expected a term, such as badge or unread(CONVERSATION), or a number"

    /// The name that was probably meant, or all there are.
    private static func remedy(_ word: String, isFunction: Bool) -> String {
        let functions = ConditionFunction.all
        let names = functions.map(\.name) + (isFunction ? ["not"] : ConditionValue.statuses + ["true", "false"])
        return word.remedy(
            among: names,
            listing: functions.map(\.form).joined(separator: ", ")
                + (isFunction ? "" : ", and for a status " + ConditionValue.statuses.joined(separator: ", ")))
    }
}

extension Character {
    fileprivate var isDigit: Bool { isASCII && isNumber }
    fileprivate var isQuote: Bool { self == "\"" || self == "'" }
    /// Whether words consist of it.
    fileprivate var isWord: Bool { isLetter || isDigit || self == "_" }
    /// Whether names without quotes consist of it.
    fileprivate var isName: Bool { !isWhitespace && !isQuote && !"(),".contains(self) }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
