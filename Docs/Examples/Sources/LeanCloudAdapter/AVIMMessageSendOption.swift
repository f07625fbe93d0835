/// How a message is sent.
enum AVIMMessageSendOption: Sendable {
    case none
    /// Not kept, and lost for who is not there.
    case transient
    /// The sender hears of its delivery.
    case requestReceipt
}
