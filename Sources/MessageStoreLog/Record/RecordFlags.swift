/// The flags of a record's envelope.
package struct RecordFlags: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The envelope carries a server time.
    package static let hasServerTime = RecordFlags(rawValue: 1 << 0)
    /// The content was removed; the envelope and the fields stay (I11).
    package static let isRedacted = RecordFlags(rawValue: 1 << 1)
    /// Frozen policy: the message counts as unread while above the read marker.
    package static let countsUnread = RecordFlags(rawValue: 1 << 2)
    /// Frozen policy: the message may be its conversation's last message.
    package static let updatesLastMessage = RecordFlags(rawValue: 1 << 3)
    /// A receipt is wanted.
    package static let needsReceipt = RecordFlags(rawValue: 1 << 4)
    /// The message mentions the store's account, by name or as one of all.
    package static let mentionsAccount = RecordFlags(rawValue: 1 << 5)
    /// The message is the store's account's own.
    package static let isOutgoing = RecordFlags(rawValue: 1 << 6)
    /// The fields carry an event id.
    package static let hasEventID = RecordFlags(rawValue: 1 << 7)
}
