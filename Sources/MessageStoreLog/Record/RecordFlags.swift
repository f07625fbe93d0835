/// The flags of a record's envelope.
package struct RecordFlags: OptionSet, Sendable {
    package let rawValue: UInt16

    @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The envelope carries a server time.
    @inlinable package static var hasServerTime: RecordFlags { RecordFlags(rawValue: 1 << 0) }
    /// The content was removed; the envelope and the fields stay (I11).
    @inlinable package static var isRedacted: RecordFlags { RecordFlags(rawValue: 1 << 1) }
    /// Frozen policy: the message counts as unread while above the read marker.
    @inlinable package static var countsUnread: RecordFlags { RecordFlags(rawValue: 1 << 2) }
    /// Frozen policy: the message may be its conversation's last message.
    @inlinable package static var updatesLastMessage: RecordFlags { RecordFlags(rawValue: 1 << 3) }
    /// A receipt is wanted.
    @inlinable package static var needsReceipt: RecordFlags { RecordFlags(rawValue: 1 << 4) }
    /// The message mentions the store's account, by name or as one of all.
    @inlinable package static var mentionsAccount: RecordFlags { RecordFlags(rawValue: 1 << 5) }
    /// The message is the store's account's own.
    @inlinable package static var isOutgoing: RecordFlags { RecordFlags(rawValue: 1 << 6) }
    /// The fields carry an event id.
    @inlinable package static var hasEventID: RecordFlags { RecordFlags(rawValue: 1 << 7) }
    /// The message's visibility list leaves the store's account out (A27–A29).
    @inlinable package static var isDirectedAtOthers: RecordFlags { RecordFlags(rawValue: 1 << 8) }
}
