internal import MessageStoreWorkload

/// The naive design on LMDB: log, timeline index and message-id index, all in the package's transaction.
///
/// It does less than the store does (no list, no counters, no duplicates recognised), so it is a kind peer.
final class NaivePeer: FloorPeer {
    private let environment: RawEnvironment
    private let sizes: RecordSizes
    private let buffer: [UInt8]
    private var packages: [[SyncEvent]] = []
    private var position: UInt64 = 0

    init(at path: String, _ sizes: RecordSizes) throws {
        environment = try RawEnvironment(path, tables: ["log", "timeline", "ids"])
        self.sizes = sizes
        buffer = [UInt8](repeating: 0x5A, count: sizes.sizes.max() ?? 0)
    }

    func prepare(_ packages: [[SyncEvent]], hasMore: Bool) { self.packages = packages }

    func ingest(_ package: Int) throws {
        var key: [UInt8] = []
        try environment.write { transaction in
            for event in packages[package] {
                let size = sizes.size(Int(position))
                position += 1
                try withUnsafeBytes(of: position.bigEndian) { position in
                    try buffer.withUnsafeBytes { bytes in
                        let value = UnsafeRawBufferPointer(rebasing: bytes[..<size])
                        try environment.put(position, value, table: 0, in: transaction, isAppend: true)
                    }
                    key.removeAll(keepingCapacity: true)
                    withUnsafeBytes(of: event.conversation.bigEndian) { key.append(contentsOf: $0) }
                    withUnsafeBytes(of: event.timeMs.bigEndian) { key.append(contentsOf: $0) }
                    key.append(contentsOf: event.id.utf8)
                    try key.withUnsafeBytes { try environment.put($0, position, table: 1, in: transaction) }
                    var random = SplitMix64(seed: self.position)
                    let hash = random.next()
                    try withUnsafeBytes(of: hash) { try environment.put($0, position, table: 2, in: transaction) }
                }
            }
        }
    }

    func commits() throws -> Int? { environment.lastTransaction }

    func close() {}
}
