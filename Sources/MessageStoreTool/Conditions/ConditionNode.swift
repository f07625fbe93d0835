/// A part of a condition, of which all types fit.
indirect enum ConditionNode: Equatable {
    case value(ConditionValue)
    /// A term, by its number in the condition.
    case term(Int)
    case comparison(ConditionNode, ConditionOperator, ConditionNode)
    case not(ConditionNode)
    /// All of them; a chain is one node, so that long ones are not deep.
    case all([ConditionNode])
    /// Any of them.
    case any([ConditionNode])

    /// The value, where the terms have these.
    func value(_ terms: [ConditionValue]) -> ConditionValue {
        switch self {
        case .value(let value): value
        case .term(let number): terms[number]
        case .comparison(let first, let comparison, let second):
            .truth(comparison.holds(first.value(terms), second.value(terms)))
        case .not(let node): .truth(node.value(terms) == .truth(false))
        case .all(let nodes): .truth(nodes.allSatisfy { $0.value(terms) == .truth(true) })
        case .any(let nodes): .truth(nodes.contains { $0.value(terms) == .truth(true) })
        }
    }
}

/// The value of a term or of a part of a condition.
enum ConditionValue: Hashable, Encodable {
    case number(Int)
    /// How far a message has come.
    case status(String)
    case truth(Bool)
    case time(Timestamp)
    /// Words; where they are content they are shown only when that is asked for.
    case text(String, isContent: Bool = false)

    enum Kind: String {
        case number = "a number"
        case status = "a status"
        case truth = "true or false"
        case time = "a time"
        case text = "a text"
    }

    /// The value that represents a missing one.
    static let absent = ConditionValue.status("none")

    /// The words for a status: those of `messages`, `recalled`, and `none` for a message that is not shown.
    static let statuses = ["received", "sending", "failed", "sent", "delivered", "read", "recalled", "none"]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .status(let status): try container.encode(status)
        case .truth(let truth): try container.encode(truth)
        case .time(let time): try container.encode(time)
        case .text: try container.encode(words(hasContent: encoder.userInfo[.omitsEventContent] as? Bool != true))
        }
    }

    /// The value as it is shown, of content the size where the words are not wanted.
    func words(hasContent: Bool) -> String {
        switch self {
        case .number(let number): String(number)
        case .status(let status): status
        case .truth(let truth): String(truth)
        case .time(let time): time.description
        case .text(let text, let isContent): isContent && !hasContent ? text.sizeInWords : text
        }
    }
}

/// How two values are compared.
enum ConditionOperator: String, CaseIterable {
    // Those of two characters come first: the parser takes the first that fits.
    case equal = "=="
    case notEqual = "!="
    case atMost = "<="
    case atLeast = ">="
    case less = "<"
    case greater = ">"

    /// Whether only numbers and times have it.
    var isOrder: Bool { self != .equal && self != .notEqual }

    func holds(_ first: ConditionValue, _ second: ConditionValue) -> Bool {
        switch (first, second) {
        case (.number(let first), .number(let second)): holds(first, second)
        case (.time(let first), .time(let second)): holds(first, second)
        case (.text(let first, _), .text(let second, _)): holds(first, second)
        default: self == .equal ? first == second : self == .notEqual && first != second
        }
    }

    func holds<Value: Comparable>(_ first: Value, _ second: Value) -> Bool {
        switch self {
        case .equal: first == second
        case .notEqual: first != second
        case .atMost: first <= second
        case .atLeast: first >= second
        case .less: first < second
        case .greater: first > second
        }
    }
}
