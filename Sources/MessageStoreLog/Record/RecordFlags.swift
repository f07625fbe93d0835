/// The flags of a record's envelope.
@_spi(Storage) public struct RecordFlags: OptionSet, Sendable {
    /// The bits as stored in the envelope.
    public let rawValue: UInt16

    /// Wraps bits.
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The envelope carries a server time.
    @inlinable public static var hasServerTime: RecordFlags { RecordFlags(rawValue: 1 << 0) }
    /// The content was removed; the envelope and the fields stay.
    @inlinable public static var isRedacted: RecordFlags { RecordFlags(rawValue: 1 << 1) }
    /// Frozen policy: the message counts as unread while above the read marker.
    @inlinable public static var countsUnread: RecordFlags { RecordFlags(rawValue: 1 << 2) }
    /// Frozen policy: the message may be its conversation's last message.
    @inlinable public static var updatesLastMessage: RecordFlags { RecordFlags(rawValue: 1 << 3) }
    /// A receipt is wanted.
    @inlinable public static var needsReceipt: RecordFlags { RecordFlags(rawValue: 1 << 4) }
    /// The message mentions the store's account, by name or as one of all.
    @inlinable public static var mentionsAccount: RecordFlags { RecordFlags(rawValue: 1 << 5) }
    /// The message is the store's account's own.
    @inlinable public static var isOutgoing: RecordFlags { RecordFlags(rawValue: 1 << 6) }
    /// The fields carry an event id.
    @inlinable public static var hasEventID: RecordFlags { RecordFlags(rawValue: 1 << 7) }
    /// The message's visibility list leaves the store's account out.
    @inlinable public static var isDirectedAtOthers: RecordFlags { RecordFlags(rawValue: 1 << 8) }
    /// Frozen rule of history: the message counts as unread only once a read marker or a server's count is known.
    @inlinable public static var countsAboveMarker: RecordFlags { RecordFlags(rawValue: 1 << 9) }
    /// The event was made on this device, and has yet to be sent to the server.
    @inlinable public static var awaitsServer: RecordFlags { RecordFlags(rawValue: 1 << 10) }
    /// The message carries a timer of its own.
    @inlinable public static var hasTimer: RecordFlags { RecordFlags(rawValue: 1 << 11) }
    /// Frozen policy: the content that the event hides is to be erased, when the store's configuration says so.
    @inlinable public static var erasesHidden: RecordFlags { RecordFlags(rawValue: 1 << 12) }
    /// The clock was slow, and the fields begin with what it said.
    @inlinable public static var hasClock: RecordFlags { RecordFlags(rawValue: 1 << 13) }
    /// Frozen policy: that time had come when the event was recorded.
    @inlinable public static var erasesAtOnce: RecordFlags { RecordFlags(rawValue: 1 << 14) }
    /// The received message was in a package of an offline sync; those whose origin says so lack the flag. The bit is that
    /// of ``erasesAtOnce``, without ``erasesHidden``.
    @inlinable public static var packageBit: RecordFlags { erasesAtOnce }
    /// Whether the received message was in a package.
    @inlinable public var isOfPackage: Bool { intersection([.erasesHidden, .packageBit]) == .packageBit }
    /// The received message was handed over by another process, and may have overtaken others.
    @inlinable public static var isHandedOver: RecordFlags { RecordFlags(rawValue: 1 << 15) }
}
