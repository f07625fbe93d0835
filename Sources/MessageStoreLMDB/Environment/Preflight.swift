/// The checks that a data file must pass before LMDB maps it.
///
/// LMDB trusts its file: a truncated one ends in SIGBUS, an empty one becomes a new store, a
/// damaged meta page silently opens an older snapshot. These rules (LMDB 0.9's on-disk layout,
/// `mdb.c`: `MDB_page`, `MDB_meta`, `MDB_db`) are read with `pread`, never through a map:
///
/// - both meta pages carry magic, version and one page size;
/// - the number of a meta page's transaction has the parity of its slot, and the two numbers
///   differ by one (both are 0 in a new file);
/// - the file holds every page that the newer meta page counts; where it is shorter, a walk over
///   all tables must find each referenced page inside the file.
package enum Preflight {
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let formatVersion: UInt32 = 1

    struct Meta {
        let pageSize: Int
        let lastPage: Int
        let transaction: UInt64
        let freeRoot: UInt64
        let mainRoot: UInt64
    }

    /// Checks the file at `path`, again up to `attempts` times where another process may be writing it.
    package static func check(_ path: String, attempts: Int = 1) throws {
        for attempt in 1... {
            do {
                return try checkOnce(path)
            } catch let error as LMDBError {
                guard attempt < attempts else { throw error }
                FileSystem.pause(milliseconds: 1)
            }
        }
    }

    private static func checkOnce(_ path: String) throws {
        try FileSystem.requireRegularFile(path)
        guard let status = try FileSystem.status(of: path) else {
            throw failure(path, "the data file is missing")
        }
        guard status.size > 0 else { throw failure(path, "the data file is empty") }
        let meta = try newestMeta(path, fileSize: status.size)
        if meta.lastPage >= status.size / meta.pageSize {
            try PageWalk(path: path, pageSize: meta.pageSize, pageCount: status.size / meta.pageSize).check(meta)
        }
    }

    private static func newestMeta(_ path: String, fileSize: Int) throws -> Meta {
        let first = try meta(path, at: 0, slot: 0)
        guard fileSize >= 2 * first.pageSize else { throw failure(path, "the data file is truncated") }
        let second = try meta(path, at: first.pageSize, slot: 1)
        guard first.pageSize == second.pageSize else { throw failure(path, "the meta pages disagree") }
        let isNew = first.transaction == 0 && second.transaction == 0
        let difference =
            first.transaction > second.transaction
            ? first.transaction - second.transaction : second.transaction - first.transaction
        guard isNew || difference == 1 else { throw failure(path, "the meta pages are of different ages") }
        return first.transaction > second.transaction ? first : second
    }

    private static func meta(_ path: String, at offset: Int, slot: UInt64) throws -> Meta {
        let bytes = try FileSystem.read(path, offset: offset, limit: 152)
        guard bytes.count == 152 else { throw failure(path, "the data file is truncated") }
        let span = bytes.span.bytes
        func word(_ offset: Int) -> UInt64 { span.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        func half(_ offset: Int) -> UInt32 { span.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self) }
        guard half(16) == magic, half(20) == formatVersion else { throw failure(path, "not an LMDB 0.9 data file") }
        // MDB_meta: magic, version, address, map size, then two MDB_db of 48 bytes, last page, transaction.
        let pageSize = Int(half(40))
        guard pageSize >= 512, pageSize <= 65_536, pageSize & (pageSize - 1) == 0 else {
            throw failure(path, "absurd page size")
        }
        let transaction = word(144)
        guard transaction & 1 == slot || transaction == 0 else {
            throw failure(path, "a meta page is in the wrong slot")
        }
        guard let lastPage = Int(exactly: word(136)) else { throw failure(path, "absurd page count") }
        return Meta(
            pageSize: pageSize, lastPage: lastPage, transaction: transaction, freeRoot: word(80), mainRoot: word(128)
        )
    }

    static func failure(_ path: String, _ detail: String) -> LMDBError {
        LMDBError(.failedPreflight, operation: "check", path: path, detail: detail)
    }
}
