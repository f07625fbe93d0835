/// LMDB's record of a tree (`MDB_db`).
struct TreeRecord {
    let flags: UInt16
    let depth: Int
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    let entries: UInt64
    let root: UInt64

    static let byteCount = 48
    /// The root of an empty tree.
    static let noPage = UInt64.max
    /// Flags that change how keys are compared or how values are kept.
    static let ordering: UInt16 = 0x7F
    static let numberKeys: UInt16 = 0x08

    init(_ page: Page, at offset: Int) {
        flags = page.load(offset + 4, UInt16.self)
        depth = Int(page.load(offset + 6, UInt16.self))
        branchPages = page.load(offset + 8, UInt64.self)
        leafPages = page.load(offset + 16, UInt64.self)
        overflowPages = page.load(offset + 24, UInt64.self)
        entries = page.load(offset + 32, UInt64.self)
        root = page.load(offset + 40, UInt64.self)
    }
}

/// A meta page: where a snapshot begins (`MDB_meta`). Transaction n writes the page in slot n mod 2.
struct MetaPage {
    let free: TreeRecord
    let main: TreeRecord
    let pageSize: Int
    let lastPage: Int
    let transaction: UInt64

    private static let byteCount = 152
    private static let meta: UInt16 = 0x08
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let formatVersion: UInt32 = 1
    /// More than any system can map.
    private static let maximumBytes: UInt64 = 1 << 47

    /// Both meta pages of a file, each well for itself; the file takes over their page size.
    static func both(of file: DataFile) throws -> (MetaPage, MetaPage) {
        let first = try MetaPage(file, offset: 0, slot: 0)
        let second = try MetaPage(file, offset: first.pageSize, slot: 1)
        guard first.pageSize == second.pageSize else { throw Preflight.failure(file.path, "the meta pages disagree") }
        file.adopt(pageSize: first.pageSize)
        return (first, second)
    }

    private init(_ file: DataFile, offset: Int, slot: UInt64) throws {
        guard offset + Self.byteCount <= file.size else {
            throw Preflight.failure(file.path, "the data file is truncated")
        }
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: Self.byteCount, alignment: 8)
        defer { buffer.deallocate() }
        try file.read(at: offset, Self.byteCount, into: buffer)
        let page = Page(start: UnsafeRawPointer(buffer), size: Self.byteCount)
        // Magic, version, address, size of the map, two trees, last page, transaction.
        guard page.load(16, UInt32.self) == Self.magic, page.load(20, UInt32.self) == Self.formatVersion,
            page.flags & Self.meta != 0
        else { throw Preflight.failure(file.path, "not an LMDB 0.9 data file") }
        pageSize = Int(page.load(40, UInt32.self))
        guard pageSize >= 512, pageSize <= 32_768, pageSize & (pageSize - 1) == 0 else {
            throw Preflight.failure(file.path, "absurd page size")
        }
        free = TreeRecord(page, at: 40)
        main = TreeRecord(page, at: 88)
        guard free.flags & TreeRecord.ordering == TreeRecord.numberKeys, main.flags & TreeRecord.ordering == 0 else {
            throw Preflight.failure(file.path, "a meta page names tables of another kind")
        }
        transaction = page.load(144, UInt64.self)
        guard transaction < 1 << 62, transaction & 1 == slot || transaction == 0 else {
            throw Preflight.failure(file.path, "a meta page is in the wrong slot")
        }
        let limit = Self.maximumBytes / UInt64(pageSize)
        let last = page.load(136, UInt64.self)
        guard last >= 1, last < limit, page.load(32, UInt64.self) <= Self.maximumBytes else {
            throw Preflight.failure(file.path, "absurd page count")
        }
        lastPage = Int(last)
    }
}
