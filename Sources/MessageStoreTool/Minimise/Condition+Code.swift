internal import Foundation

extension Condition {
    /// The strings that it compares with, and those of its targets.
    var strings: [String] {
        node.literals
            + questions.flatMap { question -> [String] in
                switch question.target {
                case .nothing, .table: []
                case .conversation(let key): [key.id] + (key.channel.map { [$0] } ?? [])
                case .message(_, let key): [key?.id, key?.channel].compactMap { $0 }
                case .user(let user): [user.rawValue]
                case .member(let user, let key): [user.rawValue, key.id] + (key.channel.map { [$0] } ?? [])
                }
            }
    }

    /// The same condition on a log under other names, at whose positions some messages are.
    func renamed(_ names: Pseudonyms, _ messages: [LocalMessageID: LocalMessageID]) -> Condition {
        let questions = questions.map { question in
            let target: ConditionFunction.Target =
                switch question.target {
                case .nothing: .nothing
                case .table(let name): .table(name)
                case .conversation(let key): .conversation(names.renamed(key))
                case .user(let user): .user(UserID(names.name(of: user.rawValue)))
                case .member(let user, let key):
                    .member(UserID(names.name(of: user.rawValue)), names.renamed(key))
                case .message(let ids, let key): .message(ids.compactMap { messages[$0] }, in: key.map(names.renamed))
                }
            return (function: question.function, target: target)
        }
        return Condition(
            node.renamed(names.name(of:)), questions, terms: questions.map { $0.function.words(of: $0.target) })
    }

    /// The same condition, where only some messages are there.
    func about(messages isThere: (LocalMessageID) -> Bool) -> Condition {
        let questions = questions.map { function, target in
            guard case .message(let ids, let key) = target else { return (function: function, target: target) }
            return (function: function, target: ConditionFunction.Target.message(ids.filter(isThere), in: key))
        }
        return Condition(node, questions, terms: terms)
    }

    /// The condition as `watch` reads it.
    var text: String {
        node.text(questions.map { ($0.function.words(of: $0.target), $0.function.kind) }, .conditions)
    }

    /// Swift statements that read the values of its terms from `views`, and the expression of the condition.
    var code: (statements: [String], expression: String) {
        let names = questions.indices.map { "value\($0 + 1)" }
        let statements = zip(names, questions).map { name, question in
            let term = question.function.words(of: question.target)
            return "let \(name) = try \(question.function.code(question.target))  // \(term)"
        }
        let terms = zip(names, questions).map { (text: $0, kind: $1.function.kind) }
        return (statements, node.text(terms, .swift))
    }
}

extension ConditionFunction {
    /// The term as a condition has it.
    fileprivate func words(of target: Target) -> String {
        switch target {
        case .nothing: name
        case .conversation(let key): "\(name)(\(key))"
        case .user(let user): "\(name)(\(user))"
        case .member(let user, let key): "\(name)(\(key), \(user))"
        case .message(let ids, let key):
            "\(name)(\(key.map { "\($0), " } ?? "")local:\(ids.first?.description ?? "0"))"
        case .table(let table): "\(name)(\(table))"
        }
    }
}

extension ConditionFunction.Target {
    /// The Swift expression of the target.
    var code: String {
        switch self {
        case .nothing: ""
        case .conversation(let key): Self.code(key)
        case .user(let user): user.rawValue.debugDescription
        case .member(let user, let key): "\(user.rawValue.debugDescription), in: \(Self.code(key))"
        case .message(let ids, let key):
            Self.code(ids.map { "views.message(LocalMessageID(\($0)))" }, key)
        case .table(let name): name.debugDescription
        }
    }

    private static func code(_ messages: [String], _ key: ConversationKey?) -> String {
        guard !messages.isEmpty else { return "Message?.none" }
        guard let key else { return messages.joined(separator: " ?? ") }
        return "[\(messages.joined(separator: ", "))].first { $0?.conversation == \(code(key)) } ?? nil"
    }

    private static func code(_ kind: ConversationKind) -> String {
        UInt64("\(kind)") == nil ? ".\(kind)" : "ConversationKind(rawValue: \(kind))"
    }

    private static func code(_ key: ConversationKey) -> String {
        "ConversationKey(\(code(key.kind)), \(key.id.debugDescription)"
            + (key.channel.map { ", channel: \($0.debugDescription)" } ?? "") + ")"
    }
}

extension ConditionNode {
    fileprivate enum Language { case conditions, swift }

    /// The texts with which terms are compared.
    fileprivate var literals: [String] {
        switch self {
        case .value(.text(let text, _)): [text]
        case .value, .term: []
        case .comparison(let first, _, let second): first.literals + second.literals
        case .not(let node): node.literals
        case .all(let nodes), .any(let nodes): nodes.flatMap(\.literals)
        }
    }

    fileprivate func renamed(_ name: (String) -> String) -> ConditionNode {
        switch self {
        case .value(.text(let text, let isContent)): .value(.text(name(text), isContent: isContent))
        case .value, .term: self
        case .comparison(let first, let comparison, let second):
            .comparison(first.renamed(name), comparison, second.renamed(name))
        case .not(let node): .not(node.renamed(name))
        case .all(let nodes): .all(nodes.map { $0.renamed(name) })
        case .any(let nodes): .any(nodes.map { $0.renamed(name) })
        }
    }

    /// The node in a language.
    ///
    /// - Parameter terms: The text of each term, and the type of its value.
    fileprivate func text(_ terms: [(text: String, kind: ConditionValue.Kind)], _ language: Language) -> String {
        func chain(_ nodes: [ConditionNode], _ word: String, _ symbol: String) -> String {
            let parts = nodes.map { $0.text(terms, language) }
            return "(" + parts.joined(separator: " \(language == .swift ? symbol : word) ") + ")"
        }
        switch self {
        case .value(let value): return value.text(language, nil)
        case .term(let number): return terms[number].text
        case .not(let node):
            let text = node.text(terms, language)
            return language == .swift ? "!(\(text))" : "not (\(text))"
        case .all(let nodes): return chain(nodes, "and", "&&")
        case .any(let nodes): return chain(nodes, "or", "||")
        case .comparison(let first, let comparison, let second):
            let kind = first.kind(terms) ?? second.kind(terms)
            func text(_ node: ConditionNode) -> String {
                switch node {
                case .value(let value): value.text(language, kind)
                case .comparison: "(\(node.text(terms, language)))"
                default: node.text(terms, language)
                }
            }
            let (left, right) = (text(first), text(second))
            guard language == .swift, comparison.isOrder, kind == .time else {
                return "\(left) \(comparison.rawValue) \(right)"
            }
            // Of times that may be missing, none is before or after another.
            return
                "zip([\(left)].compactMap { $0 }, [\(right)].compactMap { $0 }).contains(where: \(comparison.rawValue))"
        }
    }

    /// The type of a term's value; nil for literals.
    private func kind(_ terms: [(text: String, kind: ConditionValue.Kind)]) -> ConditionValue.Kind? {
        switch self {
        case .value: nil
        case .term(let number): terms[number].kind
        case .comparison, .not, .all, .any: .truth
        }
    }
}

extension ConditionValue {
    /// The value in a language, compared with one of some type.
    fileprivate func text(_ language: ConditionNode.Language, _ kind: Kind?) -> String {
        let isSwift = language == .swift
        switch self {
        case .number(let number): return String(number)
        case .truth(let truth): return String(truth)
        case .status("none") where kind == .time || kind == .text: return isSwift ? "nil" : "none"
        case .status(let status): return isSwift ? status.debugDescription : status
        case .time(let time): return isSwift ? "Timestamp(milliseconds: \(time.milliseconds))" : time.description
        case .text(let text, _):
            guard !isSwift else { return text.debugDescription }
            let escaped = text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
            return "\"\(String(escaped))\""
        }
    }
}
