/// What a condition asks of the views, as it is written.
struct ConditionTerm: Equatable {
    /// What can be asked.
    enum Function: String, CaseIterable {
        case badge, unread, shown, status, member, exists, muted, pinned, readUpTo, name, text, modified

        /// How it is written, in words.
        var form: String {
            switch self {
            case .badge: "badge"
            case .unread, .shown, .muted, .pinned, .readUpTo: "\(rawValue)(CONVERSATION)"
            case .status, .text, .modified: "\(rawValue)(MESSAGE) or \(rawValue)(CONVERSATION, MESSAGE)"
            case .name: "name(USER)"
            case .member: "member(CONVERSATION, USER)"
            case .exists: "exists(CONVERSATION), exists(MESSAGE) or exists(CONVERSATION, MESSAGE)"
            }
        }

        /// How many arguments it takes.
        var counts: ClosedRange<Int> {
            switch self {
            case .badge: 0...0
            case .unread, .shown, .muted, .pinned, .readUpTo, .name: 1...1
            case .member: 2...2
            case .status, .exists, .text, .modified: 1...2
            }
        }

        /// What it answers with.
        var kind: ConditionValue.Kind {
            switch self {
            case .badge, .unread, .shown: .number
            case .status: .status
            case .member, .exists, .muted, .pinned, .modified: .truth
            case .readUpTo: .time
            case .name, .text: .text
            }
        }
    }

    /// A name, and the character at which it begins.
    struct Argument: Equatable {
        let text: String
        let offset: Int
    }

    let function: Function
    let arguments: [Argument]
    /// As it stands in the condition.
    let text: String

    /// Whether both ask the same.
    func asksSame(as other: ConditionTerm) -> Bool {
        function == other.function && arguments.map(\.text) == other.arguments.map(\.text)
    }
}
