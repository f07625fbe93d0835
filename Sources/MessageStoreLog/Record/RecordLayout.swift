/// Where things stand in a record (`Docs/Format.md` draws it). All numbers are little-endian.
enum RecordLayout {
    /// XXH64, seeded with ``checksumSeed``, of every byte after the checksum.
    static let checksum = 0
    static let position = 8
    static let type = 16
    static let schemaVersion = 18
    static let origin = 19
    static let flags = 20
    static let serverIDLength = 22
    static let clientTokenLength = 23
    static let recordedTime = 24
    static let serverTime = 32
    static let conversation = 40
    static let actor = 44
    static let contentType = 48
    /// How many records of the same commit precede this one: `position - commitIndex` names the package.
    static let commitIndex = 52
    static let fieldsLength = 56
    static let contentLength = 60
    /// Then: server id, client token, fields, content.
    static let headerSize = 64

    static let checksumSeed: UInt64 = 0x4D53_4C4F_4731_0000  // "MSLOG1"
}

/// The numbers of the fields that any type's payload may carry.
enum CommonField {
    static let eventID: UInt32 = 1
    static let device: UInt32 = 2
    /// Types number their own fields from here.
    static let first: UInt32 = 3
}
