/// A question of a condition to the views, as it is written.
struct ConditionTerm: Equatable {
    /// A name, and the character at which it begins.
    struct Argument: Equatable {
        let text: String
        let offset: Int
    }

    let function: ConditionFunction
    let arguments: [Argument]
    /// The term as it is written in the condition.
    let text: String

    /// Whether both ask the same.
    func asksSame(as other: ConditionTerm) -> Bool {
        function == other.function && arguments.map(\.text) == other.arguments.map(\.text)
    }
}

/// A question that a term can ask, with its answer: a new one needs a line in ``all``.
struct ConditionFunction: Equatable, Sendable {
    /// The names that follow in parentheses.
    enum Subject {
        case nothing, conversation, user, member, message, conversationOrMessage, table

        /// How many names there are.
        var counts: ClosedRange<Int> {
            switch self {
            case .nothing: 0...0
            case .conversation, .user, .table: 1...1
            case .member: 2...2
            case .message, .conversationOrMessage: 1...2
            }
        }
    }

    /// The target of the names in a store.
    enum Target {
        case nothing
        case conversation(ConversationKey)
        case user(UserID)
        case member(UserID, ConversationKey)
        /// The ids that one message has, oldest first.
        case message([LocalMessageID], in: ConversationKey?)
        /// By its name.
        case table(String)
    }

    let name: String
    let subject: Subject
    /// The type of the answer.
    let kind: ConditionValue.Kind
    /// The projections that answer; nil if all do.
    let projections: Set<ProjectionID>?
    /// The Swift expression of the answer in `views`.
    let code: @Sendable (Target) -> String
    let answer: @Sendable (Target, borrowing Views) throws -> ConditionValue

    static func == (first: Self, second: Self) -> Bool { first.name == second.name }

    /// How it is written, in words.
    var form: String {
        switch subject {
        case .nothing: name
        case .conversation: "\(name)(CONVERSATION)"
        case .user: "\(name)(USER)"
        case .table: "\(name)(TABLE)"
        case .member: "\(name)(CONVERSATION, USER)"
        case .message: "\(name)(MESSAGE) or \(name)(CONVERSATION, MESSAGE)"
        case .conversationOrMessage: "\(name)(CONVERSATION), \(name)(MESSAGE) or \(name)(CONVERSATION, MESSAGE)"
        }
    }

    static func named(_ name: String) -> ConditionFunction? { all.first { $0.name == name } }

    static let all =
        [
            ConditionFunction(
                name: "badge", subject: .nothing, kind: .number, projections: [.unreadCounters],
                code: { _ in "views.unreadTotals().badge" }
            ) {
                .number(try $1.unreadTotals().badge)
            },
            ofConversation("unread", .number, code: { "views.unread(of: \($0.code)).messages" }) {
                .number(try $1.unread(of: $0).messages)
            },
            ofConversation(
                "shown", .number, code: { "ViewDiagnostics.shownUnread(of: \($0.code), in: views)" }
            ) { .number(try ViewDiagnostics.shownUnread(of: $0, in: $1)) },
            ofConversation("readUpTo", .time, code: { "views.unread(of: \($0.code)).readUpTo?.time" }) {
                try $1.unread(of: $0).readUpTo.map { .time($0.time) } ?? .absent
            },
            ofConversation("activity", .time, nil, code: { "views.conversation(\($0.code))?.activity" }) {
                try $1.conversation($0)?.activity.map { .time($0) } ?? .absent
            },
            ofMessage(
                "status", .status,
                code: { #"(\#($0.code)).map { $0.isRecalled ? "recalled" : $0.status.description } ?? "none""# }
            ) {
                .status($0.map { $0.isRecalled ? "recalled" : $0.status.description } ?? "none")
            },
            ofMessage("text", .text, code: { #"(\#($0.code)).map { $0.content.text ?? "" }"# }) {
                $0.map { .text($0.content.text ?? "", isContent: true) } ?? .absent
            },
            ofMessage("modified", .truth, code: { "(\($0.code))?.isModified ?? false" }) {
                .truth($0?.isModified ?? false)
            },
            ConditionFunction(
                name: "member", subject: .member, kind: .truth, projections: [.members],
                code: { "views.isMember(\($0.code))" }
            ) {
                guard case .member(let user, let key) = $0 else { return .absent }
                return .truth(try $1.isMember(user, in: key))
            },
            ConditionFunction(
                name: "name", subject: .user, kind: .text, projections: [.profiles],
                code: { "views.profile(\($0.code)).info.name" }
            ) {
                guard case .user(let user) = $0 else { return .absent }
                return try $1.profile(user).info.name.map { .text($0) } ?? .absent
            },
            ConditionFunction(
                name: "exists", subject: .conversationOrMessage, kind: .truth, projections: nil,
                code: {
                    guard case .conversation = $0 else { return "(\($0.code)) != nil" }
                    return "views.conversation(\($0.code)).map { !$0.isHidden } ?? false"
                }
            ) {
                guard case .conversation(let key) = $0 else { return .truth(try message($0, $1) != nil) }
                return .truth(try $1.conversation(key).map { !$0.isHidden } ?? false)
            },
            ConditionFunction(
                name: "rows", subject: .table, kind: .number, projections: nil,
                code: { "ViewDiagnostics.rowCount(of: \($0.code), in: views)" }
            ) {
                guard case .table(let name) = $0 else { return .absent }
                return .number(try ViewDiagnostics.rowCount(of: name, in: $1))
            },
        ]
        + ConversationBoolean.all.map { flag in
            ofConversation(
                flag.name, .truth, nil,
                code: { "views.conversation(\($0.code)).map { \(flag.code) } ?? false" }
            ) { .truth(try $1.conversation($0).map(flag.value) ?? false) }
        }

    private static func ofConversation(
        _ name: String, _ kind: ConditionValue.Kind, _ projections: Set<ProjectionID>? = [.unreadCounters],
        code: @escaping @Sendable (Target) -> String,
        _ answer: @escaping @Sendable (ConversationKey, borrowing Views) throws -> ConditionValue
    ) -> ConditionFunction {
        ConditionFunction(
            name: name, subject: .conversation, kind: kind, projections: projections, code: code
        ) {
            guard case .conversation(let key) = $0 else { return .absent }
            return try answer(key, $1)
        }
    }

    private static func ofMessage(
        _ name: String, _ kind: ConditionValue.Kind, code: @escaping @Sendable (Target) -> String,
        _ answer: @escaping @Sendable (Message?) -> ConditionValue
    ) -> ConditionFunction {
        ConditionFunction(name: name, subject: .message, kind: kind, projections: [.timeline], code: code) {
            answer(try message($0, $1))
        }
    }

    private static func message(_ target: Target, _ views: borrowing Views) throws -> Message? {
        guard case .message(let ids, let key) = target else { return nil }
        for id in ids {
            if let message = try views.message(id), message.conversation == key ?? message.conversation {
                return message
            }
        }
        return nil
    }
}
