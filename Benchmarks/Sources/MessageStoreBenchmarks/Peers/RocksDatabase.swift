internal import CRocksDB
internal import Foundation

/// A failed call of RocksDB.
struct RocksError: Error, CustomStringConvertible {
    let description: String
}

/// RocksDB through its C interface: bloom filters, a 64 MB write buffer, two background threads, no compression.
final class RocksDatabase {
    private let handle: OpaquePointer
    private let readOptions = rocksdb_readoptions_create()
    private let writeOptions = rocksdb_writeoptions_create()

    init(_ path: String) throws {
        let options = rocksdb_options_create()
        defer { rocksdb_options_destroy(options) }
        rocksdb_options_set_create_if_missing(options, 1)
        rocksdb_options_increase_parallelism(options, 2)
        rocksdb_options_set_write_buffer_size(options, 64 << 20)
        rocksdb_options_set_compression(options, Int32(rocksdb_no_compression))
        let table = rocksdb_block_based_options_create()
        defer { rocksdb_block_based_options_destroy(table) }
        rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom(10))
        rocksdb_options_set_block_based_table_factory(options, table)
        handle =
            try Self.checked { rocksdb_open(options, path, &$0) } ?? { throw RocksError(description: "no handle") }()
        // Each batch is on disk before the next.
        rocksdb_writeoptions_set_sync(writeOptions, 1)
    }

    private static func checked<Result>(
        _ body: (inout UnsafeMutablePointer<CChar>?) throws -> Result
    ) throws -> Result {
        var error: UnsafeMutablePointer<CChar>?
        let result = try body(&error)
        guard let error else { return result }
        defer { rocksdb_free(error) }
        throw RocksError(description: String(cString: error))
    }

    /// The value of a key, or nil.
    func value(_ key: [UInt8]) throws -> [UInt8]? {
        var count = 0
        let pointer = try Self.checked { error in
            key.withUnsafeBytes { key in
                rocksdb_get(handle, readOptions, key.bindMemory(to: CChar.self).baseAddress, key.count, &count, &error)
            }
        }
        guard let pointer else { return nil }
        defer { rocksdb_free(pointer) }
        return [UInt8](UnsafeRawBufferPointer(start: pointer, count: count))
    }

    /// Writes a batch, durable on return.
    func write(_ body: (RocksBatch) throws -> Void) throws {
        let batch = RocksBatch()
        try body(batch)
        try Self.checked { rocksdb_write(handle, writeOptions, batch.handle, &$0) }
    }

    /// Calls `body` with all keys that begin with a byte, in order.
    func forEach(_ prefix: UInt8, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Void) rethrows {
        try forEach([prefix], body)
    }

    /// Calls `body` with all keys that begin with `prefix`, in order.
    func forEach(_ prefix: [UInt8], _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Void) rethrows {
        let iterator = rocksdb_create_iterator(handle, readOptions)
        defer { rocksdb_iter_destroy(iterator) }
        prefix.withUnsafeBytes {
            rocksdb_iter_seek(iterator, $0.bindMemory(to: CChar.self).baseAddress, prefix.count)
        }
        while rocksdb_iter_valid(iterator) != 0 {
            var count = 0
            let key = UnsafeRawBufferPointer(start: rocksdb_iter_key(iterator, &count), count: count)
            guard key.starts(with: prefix) else { break }
            let value = rocksdb_iter_value(iterator, &count)
            try body(key, UnsafeRawBufferPointer(start: value, count: count))
            rocksdb_iter_next(iterator)
        }
    }

    /// The last key that begins with a byte.
    func lastKey(_ prefix: UInt8) -> [UInt8]? {
        let iterator = rocksdb_create_iterator(handle, readOptions)
        defer { rocksdb_iter_destroy(iterator) }
        var next = CChar(bitPattern: prefix + 1)
        rocksdb_iter_seek_for_prev(iterator, &next, 1)
        guard rocksdb_iter_valid(iterator) != 0 else { return nil }
        var count = 0
        let key = UnsafeRawBufferPointer(start: rocksdb_iter_key(iterator, &count), count: count)
        return key.first == prefix ? Array(key) : nil
    }

    /// Writes the memory tables out.
    func flush() throws {
        let options = rocksdb_flushoptions_create()
        defer { rocksdb_flushoptions_destroy(options) }
        try Self.checked { rocksdb_flush(handle, options, &$0) }
    }

    func close() {
        rocksdb_close(handle)
        rocksdb_readoptions_destroy(readOptions)
        rocksdb_writeoptions_destroy(writeOptions)
    }
}

/// A batch of RocksDB: written whole or not at all.
final class RocksBatch {
    fileprivate let handle = rocksdb_writebatch_create()

    deinit { rocksdb_writebatch_destroy(handle) }

    func put(_ key: [UInt8], _ value: UnsafeRawBufferPointer) {
        key.withUnsafeBytes { key in
            rocksdb_writebatch_put(
                handle, key.bindMemory(to: CChar.self).baseAddress, key.count,
                value.bindMemory(to: CChar.self).baseAddress, value.count)
        }
    }

    func delete(_ key: [UInt8]) {
        key.withUnsafeBytes { rocksdb_writebatch_delete(handle, $0.bindMemory(to: CChar.self).baseAddress, key.count) }
    }
}
