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

/// The fields that every type has.
package enum CommonField {
    package static let eventID = Field<String?>(1, "id")
    package static let device = Field<String?>(2, "device")
    /// The reading that earlier versions wrote, in choices alone.
    package static let clockTime = Field<Timestamp?>(63, "clockTime")

    static let strings = FieldNumbers([eventID.number, device.number])

    /// The numbers of those that events of a type may have.
    static func numbers(_ traits: EventTraits) -> [UInt32] {
        [eventID.number, device.number] + (traits.contains(.mergedByTime) ? [clockTime.number] : [])
    }
}
