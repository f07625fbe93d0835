/// Whether a message is stored and whether it counts as unread.
///
/// It is resolved when the message is recorded and frozen in the event. Messages that are not
/// stored never become events: they are only delivered to listeners.
public struct MessagePolicy: FieldGroup {
    /// Whether the message is recorded.
    public var isStored: Bool
    /// Whether the message counts as unread while it is above the read marker.
    public var countsUnread: Bool
    /// Whether the message may be a conversation's last message and move it up in the list.
    public var updatesLastMessage: Bool

    /// Creates a policy.
    public init(isStored: Bool = true, countsUnread: Bool = true, updatesLastMessage: Bool = true) {
        self.isStored = isStored
        self.countsUnread = countsUnread
        self.updatesLastMessage = updatesLastMessage
    }

    /// Store, count and show as last message.
    public static let standard = MessagePolicy()
    /// Store and show, but do not count.
    public static let uncounted = MessagePolicy(countsUnread: false)
    /// Store only: neither count nor show as last message.
    public static let silent = MessagePolicy(countsUnread: false, updatesLastMessage: false)
    /// Deliver only: neither recorded nor counted.
    public static let transient = MessagePolicy(isStored: false, countsUnread: false, updatesLastMessage: false)
}

extension MessagePolicy: BuiltInGroup {
    package enum Fields {
        package static let countsUnread = SlotField(FlagSlot(flag: .countsUnread), "countsUnread")
        package static let updatesLastMessage = SlotField(FlagSlot(flag: .updatesLastMessage), "updatesLastMessage")
    }

    /// Reads the fields; what is recorded is stored.
    package init(reading fields: inout some FieldDecoder) throws {
        self.init(
            countsUnread: try fields.decode(Fields.countsUnread),
            updatesLastMessage: try fields.decode(Fields.updatesLastMessage))
    }

    package func write(to fields: inout some FieldEncoder) throws {
        try fields.encode(countsUnread, for: Fields.countsUnread)
        try fields.encode(updatesLastMessage, for: Fields.updatesLastMessage)
    }
}
