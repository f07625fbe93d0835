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
    /// Then: server id, client token, fields, content.
    @inlinable static var headerSize: Int { 64 }

    @inlinable static var checksumSeed: UInt64 { 0x4D53_4C4F_4731_0000 }  // "MSLOG1"
}

/// The fields that every type has.
package enum CommonField {
    package static let eventID = Field<String?>(1, "id")
    package static let device = Field<String?>(2, "device")
    package static let clockTime = Field<Timestamp?>(63, "clockTime")

    static let strings = FieldNumbers([eventID.number, device.number])

    /// The numbers of those that events of a type may have.
    static func numbers(_ traits: EventTraits) -> [UInt32] {
        [eventID.number, device.number] + (traits.contains(.mergedByTime) ? [clockTime.number] : [])
    }
}
