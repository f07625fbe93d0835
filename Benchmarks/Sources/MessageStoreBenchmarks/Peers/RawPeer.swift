/// The floor: the same records' bytes, appended to one LMDB table, one durable commit a package.
final class RawPeer: FloorPeer {
    private let environment: RawEnvironment
    private let sizes: RecordSizes
    private let buffer: [UInt8]
    private var position: UInt64 = 0
    private var commit = 0

    init(at path: String, _ sizes: RecordSizes) throws {
        environment = try RawEnvironment(path, tables: ["log"])
        self.sizes = sizes
        buffer = [UInt8](repeating: 0x5A, count: sizes.sizes.max() ?? 0)
    }

    func prepare(_ packages: [[SyncEvent]], hasMore: Bool) {}

    func ingest(_ package: Int) throws {
        try append(sizes.records(ofCommit: commit))
        commit += 1
    }

    /// Appends one record of this many bytes in a commit of its own.
    func append(bytes: Int) throws { try append([bytes]) }

    private func append(_ records: ArraySlice<Int>) throws {
        try environment.write { transaction in
            for size in records {
                position += 1
                try withUnsafeBytes(of: position.bigEndian) { key in
                    try buffer.withUnsafeBytes { bytes in
                        let value = UnsafeRawBufferPointer(rebasing: bytes[..<size])
                        try environment.put(key, value, table: 0, in: transaction, isAppend: true)
                    }
                }
            }
        }
    }

    func commits() throws -> Int? { environment.lastTransaction }

    func close() {}
}
