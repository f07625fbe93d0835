/// When a queued message is sent, compared with the others that wait.
///
/// `Views.dueMessages(at:)` applies it, and `MessageStore.sendOutbox(backOff:isolation:by:)` sends by it.
public struct SendOrder: FieldGroup {
    /// The rank: a message with a higher one is sent first; of two with one rank, the one that was queued first.
    public var priority: Int32
    /// The time before which the message is not sent, by this device's clock.
    public var notBefore: Timestamp?
    /// The message that the server must have accepted before this one is sent; if that one fails or is deleted, this
    /// one waits.
    public var after: LocalMessageID?

    /// Creates an order; the default sends the message after those that were queued before it.
    public init(priority: Int32 = 0, notBefore: Timestamp? = nil, after: LocalMessageID? = nil) {
        self.priority = priority
        self.notBefore = notBefore
        self.after = after
    }

    /// In the order of queueing, as soon as possible.
    public static let standard = SendOrder()
}

extension SendOrder: BuiltInFields {
    package static let priority = FieldOf(11, "priority") { (order: Self) in order.priority == 0 ? nil : order.priority
    }
    package static let notBefore = FieldOf(12, "notBefore", \Self.notBefore)
    package static let after = FieldOf(13, "after", \Self.after)
    package static let fieldList = FieldList(
        { Self(priority: $0 ?? 0, notBefore: $1, after: $2) }, priority, notBefore, after)
}
