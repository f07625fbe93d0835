/// A page of a tree: its header, and its nodes as far as they lie in it (`MDB_page`, `MDB_node`).
struct Page {
    let start: UnsafeRawPointer
    let size: Int

    static let headerSize = 16
    static let branch: UInt16 = 0x01
    static let leaf: UInt16 = 0x02
    static let overflow: UInt16 = 0x04

    var number: UInt64 { load(0, UInt64.self) }
    var flags: UInt16 { load(10, UInt16.self) }
    /// The end of the list of nodes, and the beginning of the nodes.
    var lower: Int { Int(load(12, UInt16.self)) }
    var upper: Int { Int(load(14, UInt16.self)) }
    /// Of the first page of a large value: how many pages it takes.
    var overflowCount: Int { Int(load(12, UInt32.self)) }
    var nodeCount: Int { (lower - Self.headerSize) / 2 }

    /// Whether the header's bounds are possible; nothing of the page but its header may be read otherwise.
    var hasBounds: Bool { lower >= Self.headerSize && lower & 1 == 0 && lower <= upper && upper <= size }

    func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ type: Value.Type) -> Value {
        Value(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: type))
    }

    /// A node of a page: flags, then the key, then the value or, in a branch, nothing.
    struct Node {
        let page: Page
        let offset: Int

        static let headerSize = 8
        static let bigValue: UInt16 = 0x01
        static let table: UInt16 = 0x02

        var flags: UInt16 { page.load(offset + 4, UInt16.self) }
        var keySize: Int { Int(page.load(offset + 6, UInt16.self)) }
        var valueSize: Int { Int(page.load(offset, UInt32.self)) }
        var child: UInt64 { UInt64(page.load(offset, UInt32.self)) | UInt64(flags) << 32 }
        var valueOffset: Int { offset + Self.headerSize + keySize }
        var key: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: page.start + offset + Self.headerSize, count: keySize)
        }

        /// Bytes that the node takes; its header must lie in the page.
        var byteCount: Int {
            let value = page.flags == Page.branch ? 0 : flags & Self.bigValue != 0 ? 8 : valueSize
            return (Self.headerSize + keySize + value + 1) & ~1
        }
    }

    /// The node of a slot, or nil if it does not lie in the page's part for nodes.
    func node(_ slot: Int) -> Node? {
        let offset = Int(load(Self.headerSize + 2 * slot, UInt16.self))
        guard offset >= upper, offset & 1 == 0, offset + Node.headerSize <= size else { return nil }
        let node = Node(page: self, offset: offset)
        return node.byteCount <= size - offset ? node : nil
    }
}

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

/// The bytes of a page that its nodes take, in units of two: nodes begin at even offsets.
struct PageRoom: ~Copyable {
    private let words: UnsafeMutablePointer<UInt64>
    private let wordCount: Int
    /// Bytes taken since the last ``clear()``.
    private(set) var taken = 0

    init(pageSize: Int) {
        wordCount = (pageSize / 2 + 63) / 64
        words = .allocate(capacity: wordCount)
        words.initialize(repeating: 0, count: wordCount)
    }

    deinit { words.deallocate() }

    mutating func clear() {
        words.update(repeating: 0, count: wordCount)
        taken = 0
    }

    /// Takes an even number of bytes in the page, at least 2; answers whether all of them were free.
    mutating func take(_ offset: Int, _ count: Int) -> Bool {
        let (first, last) = (offset / 2, (offset + count) / 2 - 1)
        var isFree = true
        for word in first / 64...last / 64 {
            let low = word == first / 64 ? first & 63 : 0
            let high = word == last / 64 ? last & 63 : 63
            let mask = (UInt64.max << UInt64(low)) & (UInt64.max >> UInt64(63 - high))
            isFree = isFree && words[word] & mask == 0
            words[word] |= mask
        }
        taken += count
        return isFree
    }
}

/// A set of page numbers below a limit.
struct PageSet: ~Copyable {
    private let words: UnsafeMutablePointer<UInt64>
    private let limit: Int

    /// - Throws: ``FileError`` where there is no memory for it: the limit comes from a file.
    init(limit: Int, path: String) throws(FileError) {
        guard let memory = calloc(limit / 64 + 1, 8) else {
            throw FileError(operation: "check", path: path, errno: ENOMEM)
        }
        words = memory.bindMemory(to: UInt64.self, capacity: limit / 64 + 1)
        self.limit = limit
    }

    deinit { free(words) }

    /// Puts a number into the set; answers whether it is below the limit and was not there.
    mutating func insert(_ number: Int) -> Bool {
        guard number >= 0, number < limit else { return false }
        let bit: UInt64 = 1 << UInt64(number & 63)
        guard words[number >> 6] & bit == 0 else { return false }
        words[number >> 6] |= bit
        return true
    }
}
