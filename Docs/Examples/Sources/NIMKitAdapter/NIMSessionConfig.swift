import MessageStore

/// How a session is shown; each property has the kit's default.
protocol NIMSessionConfig {
    /// How many messages a page has.
    var messageLimit: Int { get }
    /// A time stands before messages that are later than the one before by more than this.
    var showTimestampInterval: Duration { get }
    /// Whether entering the session fetches what the store lacks.
    var autoFetchWhenOpenSession: Bool { get }
    /// Whether those who asked for it hear that their messages were read.
    var shouldHandleReceipt: Bool { get }
    /// The view of a message of the app's own; nil for the kit's.
    func cellContent(_ message: Message) -> String?
}

extension NIMSessionConfig {
    var messageLimit: Int { 20 }
    var showTimestampInterval: Duration { .seconds(300) }
    var autoFetchWhenOpenSession: Bool { false }
    var shouldHandleReceipt: Bool { true }
    func cellContent(_ message: Message) -> String? { nil }
}
