/// Why something of a response is not recorded.
public enum MatrixSkip: String, Sendable, Hashable {
    /// Typing, presence, and what only the encryption of a device needs.
    case ephemeral = "ephemeral"
    /// Account data that a store has no place for.
    case accountData = "other account data"
    /// State that a store has no place for.
    case state = "other state"
    /// A room or member that knocks.
    case knock = "knock"
    /// An event that lacks what every event has, or what its type needs.
    case missingField = "field missing"
    /// An event with an id, a time or another value that a store refuses.
    case notAllowed = "not allowed in a store"
    /// An event with a time that looks like seconds.
    case timeInSeconds = "time in seconds"
    /// A receipt of a thread alone.
    case threadReceipt = "receipt of a thread"
    /// A receipt of the account that names an event without a place.
    case unknownReceipt = "receipt of an unknown event"
    /// A count of a room of which nothing else is in the response.
    case unreadCount = "unread count without an event"
    /// An edit of a message that is not known, or that another sent.
    case foreignEdit = "edit of an unknown or another's message"
}
