internal import Foundation
internal import MessageStore

/// The same keys in RocksDB: log by position, timeline by conversation, time and id, id hash to position, a row for each
/// conversation; one synchronous batch a package. The conversation list has no index of its own.
final class RocksPeer: SyncPeer {
    enum Prefix {
        static let log = UInt8(ascii: "L")
        static let timeline = UInt8(ascii: "T")
        static let identity = UInt8(ascii: "I")
        static let conversation = UInt8(ascii: "C")
        static let floor = UInt8(ascii: "F")
    }

    let database: RocksDatabase
    private let backlog: Backlog
    private let sizes: RecordSizes
    private let buffer: [UInt8]
    private var packages: [[SyncEvent]] = []
    private var position: UInt64 = 0
    /// Up to where messages are erased, by conversation; what comes below is dropped.
    var floors: [Int32: Place] = [:]
    private var written = 0

    init(at path: String, _ backlog: Backlog, _ sizes: RecordSizes) throws {
        database = try RocksDatabase(path)
        self.backlog = backlog
        self.sizes = sizes
        buffer = [UInt8](repeating: 0x5A, count: sizes.sizes.max() ?? 0)
        position = database.lastKey(Prefix.log).map { Self.number($0, at: 1) } ?? 0
        loadFloors()
    }

    func prepare(_ packages: [[SyncEvent]], hasMore: Bool) { self.packages = packages }

    func ingest(_ package: Int) throws {
        try database.write { batch in
            var rows: [Int32: RocksConversation] = [:]
            var fresh: Set<UInt64> = []
            for event in packages[package] {
                if let floor = floors[event.conversation], event.kind == .text, Place(event) <= floor { continue }
                let identity = identity(of: event)
                let identityKey = key(Prefix.identity, identity)
                guard !fresh.contains(identity), try database.value(identityKey) == nil else { continue }
                fresh.insert(identity)
                appendRecord(to: batch)
                withUnsafeBytes(of: position) { batch.put(identityKey, $0) }
                guard event.kind == .text else { continue }
                withUnsafeBytes(of: position << 1 | (event.isOwn ? 1 : 0)) { batch.put(timelineKey(event), $0) }
                var row = try rows[event.conversation] ?? conversation(event.conversation)
                row.add(Place(event), isOwn: event.isOwn)
                rows[event.conversation] = row
            }
            for (number, row) in rows {
                row.bytes.withUnsafeBytes { batch.put(key(Prefix.conversation, number), $0) }
            }
        }
        written += 1
    }

    private func appendRecord(to batch: RocksBatch) {
        let size = sizes.size(Int(position))
        position += 1
        buffer.withUnsafeBytes { batch.put(key(Prefix.log, position), UnsafeRawBufferPointer(rebasing: $0[..<size])) }
    }

    private func identity(of event: SyncEvent) -> UInt64 {
        var hash = StableHash()
        hash.add(backlog.conversations[Int(event.conversation)].id)
        hash.add(event.id)
        return hash.value
    }

    func key(_ prefix: UInt8, _ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { [prefix] + $0 }
    }

    /// The number in a key.
    static func number<Number: FixedWidthInteger>(_ key: some ContiguousBytes, at offset: Int) -> Number {
        key.withUnsafeBytes { Number(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }

    /// The place in a key of the timeline.
    static func place(_ key: UnsafeRawBufferPointer) -> Place {
        Place(timeMs: number(key, at: 5), id: String(decoding: key[13...], as: UTF8.self))
    }

    private func timelineKey(_ event: SyncEvent) -> [UInt8] {
        var bytes = key(Prefix.timeline, event.conversation)
        withUnsafeBytes(of: event.timeMs.bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: event.id.utf8)
        return bytes
    }

    private func conversation(_ number: Int32) throws -> RocksConversation {
        try database.value(key(Prefix.conversation, number)).map { RocksConversation($0) } ?? RocksConversation()
    }

    /// The conversations' rows, from which the list is sorted and the total summed.
    func readViews() throws {
        var rows: [RocksConversation] = []
        database.forEach(Prefix.conversation) { _, value in rows.append(RocksConversation(Array(value))) }
        rows.sort { $0.time > $1.time }
        _ = (rows.prefix(50), rows.reduce(0) { $0 + $1.unread })
    }

    func flush() throws { try database.flush() }

    func digest() throws -> ViewDigest? {
        var digest = ViewDigest()
        var counts: [Int32: Int] = [:]
        database.forEach(Prefix.timeline) { key, _ in
            let (number, place) = (Self.number(key, at: 1) as Int32, Self.place(key))
            counts[number, default: 0] += 1
            digest.addMessage(backlog.conversations[Int(number)].id, timeMs: place.timeMs, id: place.id)
        }
        database.forEach(Prefix.conversation) { key, value in
            let number: Int32 = Self.number(key, at: 1)
            let row = RocksConversation(Array(value))
            digest.addConversation(
                backlog.conversations[Int(number)].id, unread: row.unread, last: row.id, count: counts[number] ?? 0)
        }
        return digest
    }

    func keptEvents() throws -> Int? {
        var count = 0
        database.forEach(Prefix.log) { _, _ in count += 1 }
        return count
    }

    func commits() throws -> Int? { written }

    func close() { database.close() }
}

/// What RocksDB keeps of a conversation: unread count, last message.
struct RocksConversation {
    private(set) var unread = 0
    private(set) var time = Int64.min
    private(set) var id = ""

    init() {}

    init(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            unread = bytes.loadUnaligned(fromByteOffset: 0, as: Int.self)
            time = bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self)
            id = String(decoding: bytes[16...], as: UTF8.self)
        }
    }

    var bytes: [UInt8] {
        withUnsafeBytes(of: unread) { Array($0) } + withUnsafeBytes(of: time) { Array($0) } + Array(id.utf8)
    }

    mutating func add(_ place: Place, isOwn: Bool) {
        if !isOwn { unread += 1 }
        if (time, id) < (place.timeMs, place.id) { (time, id) = (place.timeMs, place.id) }
    }
}
