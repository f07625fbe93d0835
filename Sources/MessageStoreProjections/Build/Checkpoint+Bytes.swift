@_spi(Storage) internal import MessageStoreLog

extension Checkpoint {
    static let formatVersion: UInt32 = 2
    static let key: [UInt8] = Array("checkpoint".utf8)

    /// Decodes a checkpoint; nil for bytes that are none, or one of a later format.
    package init?(_ row: RawSpan) {
        switch row.load(at: 0, as: UInt32.self) {
        case Self.formatVersion: self.init(current: row)
        case 1: self.init(format1: row)
        default: return nil
        }
    }

    /// The position alone; nil for bytes that are no checkpoint.
    static func position(_ row: RawSpan) -> Position? {
        switch row.load(at: 0, as: UInt32.self) {
        case formatVersion: row.load(at: 20, as: UInt64.self).map { Position($0) }
        case 1: row.load(at: 28, as: UInt64.self).map { Position($0) }
        default: nil
        }
    }

    private init?(current row: RawSpan) {
        guard row.byteCount > 38, let position = row.load(at: 20, as: UInt64.self),
            let checksum = row.load(at: 28, as: UInt64.self), let count = row.load(at: 36, as: UInt16.self)
        else { return nil }
        var reader = CheckpointReader(row.extracting(38..<row.byteCount))
        var projections: [ProjectionID: ProjectionCheckpoint] = [:]
        for _ in 0..<count {
            guard let id = reader.name(), let version: UInt32 = reader.number(), let rules: UInt64 = reader.number(),
                let position: UInt64 = reader.number(), let tables: UInt8 = reader.number()
            else { return nil }
            var digests: [String: UInt64] = [:]
            for _ in 0..<tables {
                guard let name = reader.name(), let digest: UInt64 = reader.number() else { return nil }
                digests[name] = digest
            }
            projections[ProjectionID(rawValue: id)] = ProjectionCheckpoint(
                version: version, rules: rules, position: Position(position), digests: digests)
        }
        guard reader.isAtEnd else { return nil }
        self.init(
            storeID: row.extracting(4..<20).copied, position: Position(position), recordChecksum: checksum,
            projections: projections)
    }

    /// Decodes what version 0.1 wrote: one number for all projections, and the digests of all tables in their order.
    private init?(format1 row: RawSpan) {
        let parts = Self.format1.split(separator: ";").map { $0.split(separator: " ") }
        let tables = parts.flatMap { $0[2].split(separator: ",") }.map(String.init)
        guard row.load(at: 4, as: UInt64.self) == XXH64.hash(Self.format1), row.byteCount == 44 + 8 * tables.count,
            let position = row.load(at: 28, as: UInt64.self), let checksum = row.load(at: 36, as: UInt64.self)
        else { return nil }
        var projections: [ProjectionID: ProjectionCheckpoint] = [:]
        for part in parts {
            guard let version = UInt32(part[1]) else { return nil }
            let own = part[2].split(separator: ",").map(String.init)
            let digests = own.map { name in
                (name, tables.firstIndex(of: name).flatMap { row.load(at: 44 + 8 * $0, as: UInt64.self) } ?? 0)
            }
            projections[ProjectionID(rawValue: String(part[0]))] = ProjectionCheckpoint(
                version: version, rules: 0, position: Position(position),
                digests: Dictionary(uniqueKeysWithValues: digests))
        }
        self.init(
            storeID: row.extracting(12..<28).copied, position: Position(position), recordChecksum: checksum,
            projections: projections)
    }

    /// The projections of version 0.1, with their versions and tables.
    private static let format1 = """
        Messages 3 identities,messageStates,parkedStates,outbox,receiptMarks;\
        Timeline 2 timeline,timelineFloors,timelineRanges,timelineHeads;\
        ConversationList 3 conversations,conversationInfo,conversationOrder;\
        UnreadCounters 3 unread,unreadTotals;Members 2 members,memberLists;ConversationIndex 1 conversationIndex;\
        ChatRooms 1 chatRooms,chatRoomEntries;Profiles 2 profiles;Teams 1 teams;SyncState 2 syncState,syncCursors;\
        UnknownEvents 1 unknownEvents;MessageDetails 1 messageDetails,owedReceipts,parkedReceipts;\
        PendingChanges 1 pendingChanges;TimelineMarks 1 timelineMarks
        """

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(Self.formatVersion)
        writer.append(storeID)
        writer.append(position.rawValue)
        writer.append(recordChecksum)
        writer.append(UInt16(projections.count))
        for (id, part) in projections.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            writer.append(name: id.rawValue)
            writer.append(part.version)
            writer.append(part.rules)
            writer.append(part.position.rawValue)
            writer.append(UInt8(part.digests.count))
            for (name, digest) in part.digests.sorted(by: { $0.key < $1.key }) {
                writer.append(name: name)
                writer.append(digest)
            }
        }
        return writer.bytes.copied
    }
}

extension ByteWriter {
    /// A name of at most 255 bytes, which declarations ensure.
    fileprivate mutating func append(name: String) {
        append(UInt8(name.utf8.count))
        append(Array(name.utf8))
    }
}

private struct CheckpointReader: ~Escapable {
    private let bytes: RawSpan
    private var offset = 0

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.byteCount }

    mutating func number<Number: FixedWidthInteger & BitwiseCopyable>() -> Number? {
        guard let number = bytes.load(at: offset, as: Number.self) else { return nil }
        offset += MemoryLayout<Number>.size
        return number
    }

    mutating func name() -> String? {
        guard let count: UInt8 = number(), offset + Int(count) <= bytes.byteCount else { return nil }
        defer { offset += Int(count) }
        return bytes.extracting(offset..<offset + Int(count)).string
    }
}
