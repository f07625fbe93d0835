/// The offsets of the parts of a record (`Docs/Format.md` draws it). All numbers are little-endian.
@usableFromInline
enum RecordLayout {
    /// XXH64, seeded with ``checksumSeed``, of every byte after the checksum.
    @inlinable static var checksum: Int { 0 }
    @inlinable static var position: Int { 8 }
    @inlinable static var type: Int { 16 }
    @inlinable static var schemaVersion: Int { 18 }
    @inlinable static var origin: Int { 19 }
    @inlinable static var flags: Int { 20 }
    @inlinable static var serverIDLength: Int { 22 }
    @inlinable static var clientTokenLength: Int { 23 }
    @inlinable static var recordedTime: Int { 24 }
    @inlinable static var serverTime: Int { 32 }
    @inlinable static var conversation: Int { 40 }
    @inlinable static var actor: Int { 44 }
    @inlinable static var contentType: Int { 48 }
    /// How many records of the same commit precede this one: `position - commitIndex` names the package.
    @inlinable static var commitIndex: Int { 52 }
    @inlinable static var fieldsLength: Int { 56 }
    @inlinable static var contentLength: Int { 60 }
    /// Then: server id, client token, the clock's reading where there is one, fields, content.
    @inlinable static var headerSize: Int { 64 }

    /// The bytes of the clock's reading: two fields of eight bytes, each after its number and wire type.
    @inlinable static var clockSize: Int { 2 * (clockTag + 8) }
    @inlinable static var clockTag: Int { 2 }
    /// The fields 63 and 62, of wire type 1.
    static let clockTags: (time: UInt16, corrected: UInt16) = (0x03F9, 0x03F1)

    @inlinable static var checksumSeed: UInt64 { 0x4D53_4C4F_4731_0000 }  // "MSLOG1"
}

/// The fixed part of a record, without its checksum.
struct RecordHeader {
    let type: EventType
    let version: UInt8
    let origin: Origin
    let flags: RecordFlags
    let idLength: Int
    let tokenLength: Int
    let serverTime: Timestamp?
    let conversation: UInt32?
    let actor: UInt32?
    let contentType: UInt32?
    var fieldsLength = 0
    var contentLength = 0

    /// The bytes of the record with all its parts.
    var recordSize: Int { RecordLayout.headerSize + idLength + tokenLength + fieldsLength + contentLength }

    @inline(__always)
    func write(to record: UnsafeMutableRawPointer, at place: RecordEncoder.Place) {
        record.set(UInt64(0), at: RecordLayout.checksum)
        record.set(place.position.rawValue, at: RecordLayout.position)
        record.set(type.rawValue, at: RecordLayout.type)
        record.set(version, at: RecordLayout.schemaVersion)
        record.set(origin.rawValue, at: RecordLayout.origin)
        record.set(flags.rawValue, at: RecordLayout.flags)
        record.set(UInt8(clamping: idLength), at: RecordLayout.serverIDLength)
        record.set(UInt8(clamping: tokenLength), at: RecordLayout.clientTokenLength)
        record.set(place.recordedTime.milliseconds, at: RecordLayout.recordedTime)
        record.set(serverTime?.milliseconds ?? 0, at: RecordLayout.serverTime)
        record.set(conversation ?? 0, at: RecordLayout.conversation)
        record.set(actor ?? 0, at: RecordLayout.actor)
        record.set(contentType ?? 0, at: RecordLayout.contentType)
        record.set(place.commitIndex, at: RecordLayout.commitIndex)
        record.set(UInt32(clamping: fieldsLength), at: RecordLayout.fieldsLength)
        record.set(UInt32(clamping: contentLength), at: RecordLayout.contentLength)
    }
}

/// The fields that every type has.
package enum CommonField {
    package static let eventID = Field<String?>(1, "id")
    package static let device = Field<String?>(2, "device")
    /// The reading that earlier versions wrote, in choices alone.
    package static let clockTime = Field<Timestamp?>(63, "clockTime")

    static let strings = FieldNumbers([eventID.number, device.number])

    /// The numbers of the common fields that events of a type may have.
    static func numbers(_ traits: EventTraits) -> [UInt32] {
        [eventID.number, device.number] + (traits.contains(.mergedByTime) ? [clockTime.number] : [])
    }
}

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
    /// The received message was in a package of an offline sync; messages whose origin says so lack the flag. The bit
    /// is the one of ``erasesAtOnce``, without ``erasesHidden``.
    @inlinable public static var packageBit: RecordFlags { erasesAtOnce }
    /// Whether the received message was in a package.
    @inlinable public var isOfPackage: Bool { intersection([.erasesHidden, .packageBit]) == .packageBit }
    /// The received message was handed over by another process, and may have overtaken others.
    @inlinable public static var isHandedOver: RecordFlags { RecordFlags(rawValue: 1 << 15) }
}

/// The kinds of strings that the log replaces by small numbers, and of other entries in its table of names.
package enum SymbolSpace: UInt8, Sendable, CaseIterable {
    case conversation = 1
    case user = 2
    case contentType = 3
    /// The declarations of hosts' types of events; see ``EventDescription``.
    case hostEvent = 4
    /// The store that the log belongs to: number 1 is its id.
    case store = 5
    /// The remains of erased ids; see ``ErasedIDs``.
    case erased = 6
    /// Records at which the clock said less than at the record before: see ``ClockFall``.
    case clock = 7
}
