internal import MessageStore
internal import MessageStoreTestKit

/// The floor: the same records' bytes, appended to one LMDB table, one durable commit a package.
func rawAppend(_ sizes: [Int], packageSize: Int, at path: String) throws {
    let environment = try RawEnvironment(path, tables: ["log"])
    let buffer = [UInt8](repeating: 0x5A, count: sizes.max() ?? 0)
    var position: UInt64 = 0
    var start = 0
    while start < sizes.count {
        let end = min(start + packageSize, sizes.count)
        try environment.write { transaction in
            for size in sizes[start..<end] {
                position += 1
                try withUnsafeBytes(of: position.bigEndian) { key in
                    try buffer.withUnsafeBytes { bytes in
                        let value = UnsafeRawBufferPointer(rebasing: bytes[..<size])
                        try environment.put(key, value, table: 0, in: transaction, isAppend: true)
                    }
                }
            }
        }
        start = end
    }
}

/// The naive design: log, timeline index and message-id index, all in the package's transaction.
///
/// It does less than the store does (no list, no counters, no duplicates recognised), so it is a kind peer.
func indexesInTransaction(_ events: [WorkloadEvent], _ sizes: [Int], packageSize: Int, at path: String) throws {
    let environment = try RawEnvironment(path, tables: ["log", "timeline", "ids"])
    let buffer = [UInt8](repeating: 0x5A, count: sizes.max() ?? 0)
    var position: UInt64 = 0
    var key: [UInt8] = []
    var start = 0
    while start < events.count {
        let end = min(start + packageSize, events.count)
        try environment.write { transaction in
            for index in start..<end {
                let event = events[index]
                position += 1
                try withUnsafeBytes(of: position.bigEndian) { position in
                    try buffer.withUnsafeBytes { bytes in
                        let value = UnsafeRawBufferPointer(rebasing: bytes[..<sizes[index]])
                        try environment.put(position, value, table: 0, in: transaction, isAppend: true)
                    }
                    key.removeAll(keepingCapacity: true)
                    withUnsafeBytes(of: UInt32(event.conversation).bigEndian) { key.append(contentsOf: $0) }
                    withUnsafeBytes(of: UInt64(bitPattern: event.timeMs).bigEndian) { key.append(contentsOf: $0) }
                    key.append(contentsOf: event.serverID.utf8)
                    try key.withUnsafeBytes { try environment.put($0, position, table: 1, in: transaction) }
                    var random = SplitMix64(seed: UInt64(index))
                    let hash = random.next()
                    try withUnsafeBytes(of: hash) { try environment.put($0, position, table: 2, in: transaction) }
                }
            }
        }
        start = end
    }
}
