/// A walk over all trees of a snapshot, reading each page once.
///
/// - Each page that is referred to is in the file, carries its own number and the type that its place asks for, and is
///   used once; the pages on the list of free pages are used by none.
/// - The nodes of a page lie in it, side by side, and fill what the page says is filled.
/// - Keys ascend in a page, and lie between the keys that lead to the page.
/// - All leaves are as deep as the tree's record says, and its counts of pages and entries are right.
/// - Tables are of the one kind that this library makes: keys compared byte by byte, one value each.
///
/// Each page is visited at most once, so the walk ends after as many steps as the file has pages.
struct TreeWalk: ~Copyable {
    /// The kinds of trees: LMDB's list of free pages, its list of tables, and a table.
    enum Kind { case freePages, tables, table }

    /// LMDB's own limit, `CURSOR_STACK`.
    static let maximumDepth = 32
    /// LMDB's own limit, `MDB_MAXKEYSIZE`.
    static let maximumKeySize = 511

    let file: DataFile
    let meta: MetaPage
    /// Pages visited, also large values'.
    private(set) var pages = 0
    /// Pages that are used or free.
    private var seen: PageSet
    /// Free pages that lie after the file's end: LMDB need not write those.
    private var freeBehindEnd = 0
    private var occupied: PageRoom
    private let branches: BranchBuffers
    /// The sums over the pages of the tree that is being walked.
    private var counts = Counts()
    private var kind = Kind.freePages
    private var depth = 0
    private var tables: [TreeRecord] = []
    /// The large values of the leaf that is looked at.
    private var largeValues: [(page: UInt64, size: Int)] = []

    private struct Counts {
        var branchPages: UInt64 = 0
        var leafPages: UInt64 = 0
        var overflowPages: UInt64 = 0
        var entries: UInt64 = 0
    }

    init(_ file: DataFile, _ meta: MetaPage) throws {
        let limit = meta.lastPage + 1
        // Pages may be given out and freed in one commit that never wrote them, but not more than it can hold in
        // memory.
        guard meta.lastPage - file.pageCount < 1 << 20 else {
            throw Preflight.failure(file.path, "the data file is truncated or damaged: it lacks most of its pages")
        }
        self.init(file, meta, try PageSet(limit: limit, path: file.path))
    }

    private init(_ file: DataFile, _ meta: MetaPage, _ seen: consuming PageSet) {
        self.file = file
        self.meta = meta
        self.seen = seen
        branches = BranchBuffers(pageSize: file.pageSize)
        occupied = PageRoom(pageSize: file.pageSize)
    }

    mutating func run() throws {
        _ = (seen.insert(0), seen.insert(1))
        try walk(meta.free, .freePages)
        try walk(meta.main, .tables)
        for table in tables { try walk(table, .table) }
        guard freeBehindEnd == max(0, meta.lastPage + 1 - file.pageCount) else {
            throw Preflight.failure(file.path, "the data file is truncated or damaged: pages lie behind its end")
        }
    }

    private mutating func walk(_ tree: TreeRecord, _ kind: Kind) throws {
        guard kind != .table || tree.flags & TreeRecord.ordering == 0 else {
            throw Preflight.failure(file.path, "a table is of another kind than this library makes")
        }
        counts = Counts()
        self.kind = kind
        depth = tree.depth
        guard depth <= Self.maximumDepth else { throw Preflight.failure(file.path, "a tree is too deep") }
        if tree.root != TreeRecord.noPage {
            try visit(tree.root, level: 0, from: nil, to: nil)
        } else if depth != 0 {
            throw Preflight.failure(file.path, "a tree has a depth and no pages")
        }
        guard counts.branchPages == tree.branchPages, counts.leafPages == tree.leafPages,
            counts.overflowPages == tree.overflowPages, counts.entries == tree.entries
        else { throw Preflight.failure(file.path, "a tree does not hold what its record says") }
    }

    /// Visits a page and what is below it; its keys are not less than `lower` and less than `upper`.
    private mutating func visit(
        _ number: UInt64, level: Int, from lower: UnsafeRawBufferPointer?, to upper: UnsafeRawBufferPointer?
    ) throws {
        let page = try take(number, flags: level == depth - 1 ? Page.leaf : Page.branch)
        guard page.hasBounds, page.nodeCount > 0 else { throw damage(number, "its bounds are absurd") }
        guard level < depth - 1 else { return try checkLeaf(page, number, from: lower, to: upper) }
        counts.branchPages &+= 1
        // The next read page replaces this one in the file's window.
        let branch = branches.keep(page, level: level)
        try checkBranch(branch, number, from: lower, to: upper)
        for slot in 0..<branch.nodeCount {
            guard let node = branch.node(slot) else { continue }
            try visit(
                node.child, level: level + 1, from: slot == 0 ? lower : node.key,
                to: branch.nodeCount > slot + 1 ? branch.node(slot + 1)?.key : upper)
        }
    }

    /// The page of a number, which nothing else has referred to.
    private mutating func take(_ number: UInt64, flags: UInt16) throws -> Page {
        guard number >= 2, number <= UInt64(meta.lastPage), number < UInt64(file.pageCount) else {
            throw damage(number, "it lies outside the file")
        }
        guard seen.insert(Int(number)) else { throw damage(number, "it is used twice, or used and free") }
        let page = Page(start: try file.page(Int(number)), size: file.pageSize)
        guard page.number == number, page.flags == flags else {
            throw damage(number, "it is not the one that its place asks for")
        }
        pages += 1
        return page
    }

    private mutating func checkBranch(
        _ page: Page, _ number: UInt64, from lower: UnsafeRawBufferPointer?, to upper: UnsafeRawBufferPointer?
    ) throws {
        // LMDB leaves a branch with one node only where it takes the list of free pages apart.
        guard page.nodeCount > 1 || kind == .freePages else { throw damage(number, "it is a branch with one node") }
        occupied.clear()
        var previous = lower
        for slot in 0..<page.nodeCount {
            let node = try claim(slot, of: page, number)
            // The first key is not looked at: every key less than the second goes there.
            guard slot > 0 else { continue }
            guard isKey(node.key), previous.map({ precedes($0, node.key) }) ?? true else {
                throw damage(number, "its keys are out of order")
            }
            previous = node.key
        }
        try close(page, number, last: page.nodeCount > 1 ? previous : nil, upper)
    }

    private mutating func checkLeaf(
        _ page: Page, _ number: UInt64, from lower: UnsafeRawBufferPointer?, to upper: UnsafeRawBufferPointer?
    ) throws {
        counts.leafPages &+= 1
        counts.entries &+= UInt64(page.nodeCount)
        occupied.clear()
        largeValues.removeAll(keepingCapacity: true)
        var previous = lower
        for slot in 0..<page.nodeCount {
            let node = try claim(slot, of: page, number)
            guard isKey(node.key),
                previous.map({ slot == 0 ? !precedes(node.key, $0) : precedes($0, node.key) }) ?? true
            else { throw damage(number, "its keys are out of order") }
            previous = node.key
            try checkValue(of: node, number)
        }
        try close(page, number, last: previous, upper)
        for value in largeValues { try checkLargeValue(value.page, value.size) }
    }

    /// A node whose bytes no other node of the page has.
    private mutating func claim(_ slot: Int, of page: Page, _ number: UInt64) throws -> Page.Node {
        guard let node = page.node(slot) else { throw damage(number, "a node lies outside it") }
        guard occupied.take(node.offset, node.byteCount) else { throw damage(number, "its nodes overlap") }
        return node
    }

    /// Checks what holds of a page as a whole, when its nodes were looked at.
    private func close(
        _ page: Page, _ number: UInt64, last: UnsafeRawBufferPointer?, _ upper: UnsafeRawBufferPointer?
    ) throws {
        guard occupied.taken == page.size - page.upper else { throw damage(number, "its nodes do not fill it") }
        guard let last, let upper else { return }
        guard precedes(last, upper) else { throw damage(number, "its keys belong to another page") }
    }

    private mutating func checkValue(of node: Page.Node, _ number: UInt64) throws {
        switch node.flags {
        case 0:
            guard kind == .freePages else { return }
            try checkTransaction(node, number)
            let first = node.valueSize < 8 ? 0 : node.page.load(node.valueOffset, UInt64.self)
            let words = try wordCount(first, of: node.valueSize, number)
            var previous = meta.lastPage + 1
            try checkFreePages(node.page.start + node.valueOffset + 8, words, number, below: &previous)
        case Page.Node.bigValue:
            if kind == .freePages { try checkTransaction(node, number) }
            largeValues.append((node.page.load(node.valueOffset, UInt64.self), node.valueSize))
        case Page.Node.table where kind == .tables && node.valueSize == TreeRecord.byteCount:
            tables.append(TreeRecord(node.page, at: node.valueOffset))
        default: throw damage(number, "a node is of a kind that this library does not make")
        }
    }

    private mutating func checkLargeValue(_ number: UInt64, _ size: Int) throws {
        let first = try take(number, flags: Page.overflow)
        let count = first.overflowCount
        guard count >= 1, count <= file.pageCount - Int(number), Int(number) + count - 1 <= meta.lastPage,
            size <= count * file.pageSize - Page.headerSize
        else { throw damage(number, "a large value lies outside its pages") }
        for page in Int(number) + 1..<Int(number) + count {
            guard seen.insert(page) else { throw damage(UInt64(page), "it is used twice, or used and free") }
        }
        pages += count - 1
        counts.overflowPages &+= UInt64(count)
        guard kind == .freePages else { return }
        var words = try wordCount(first.load(Page.headerSize, UInt64.self), of: size, number)
        var offset = Int(number) * file.pageSize + Page.headerSize + 8
        var previous = meta.lastPage + 1
        let piece = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 8)
        defer { piece.deallocate() }
        while words > 0 {
            let count = min(words, 1 << 13)
            try file.read(at: offset, 8 * count, into: piece)
            try checkFreePages(piece, count, number, below: &previous)
            words -= count
            offset += 8 * count
        }
    }

    /// A key of the list of free pages: the commit that freed them.
    private func checkTransaction(_ node: Page.Node, _ number: UInt64) throws {
        let transaction = node.page.load(node.offset + Page.Node.headerSize, UInt64.self)
        guard transaction >= 1, transaction <= meta.transaction else {
            throw damage(number, "it lists pages that a later commit freed")
        }
    }

    /// How many page numbers follow the first word of a value of the list of free pages, which says so.
    private func wordCount(_ first: UInt64, of size: Int, _ number: UInt64) throws -> Int {
        guard size >= 8, size & 7 == 0, first < UInt64(size / 8) else {
            throw damage(number, "a list of free pages is cut short")
        }
        return Int(first)
    }

    /// Page numbers of a value of the list of free pages: they fall.
    private mutating func checkFreePages(
        _ words: UnsafeRawPointer, _ count: Int, _ number: UInt64, below previous: inout Int
    ) throws {
        for index in 0..<count {
            let word = UInt64(littleEndian: words.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
            guard word >= 2, word < UInt64(previous), seen.insert(Int(word)) else {
                throw damage(number, "it lists free pages twice, out of order or outside the file")
            }
            previous = Int(word)
            if previous >= file.pageCount { freeBehindEnd += 1 }
        }
    }

    private func isKey(_ key: UnsafeRawBufferPointer) -> Bool {
        kind == .freePages ? key.count == 8 : key.count >= 1 && key.count <= Self.maximumKeySize
    }

    /// Whether a key is less than another, as LMDB compares them.
    private func precedes(_ key: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard kind != .freePages else {
            return UInt64(littleEndian: key.loadUnaligned(as: UInt64.self))
                < UInt64(littleEndian: other.loadUnaligned(as: UInt64.self))
        }
        return key.isLess(than: other)
    }

    private func damage(_ page: UInt64, _ detail: String) -> LMDBError {
        Preflight.failure(file.path, "page \(page): \(detail); the data file is truncated or damaged")
    }
}

/// Copies of the branches on the way to the page that a walk looks at, one for each level of the tree.
final class BranchBuffers {
    private let pageSize: Int
    private var buffers: [UnsafeMutableRawPointer] = []

    init(pageSize: Int) {
        self.pageSize = pageSize
    }

    deinit { for buffer in buffers { buffer.deallocate() } }

    /// Keeps a page of a level, the next one below or one that is held already, until another is kept there.
    func keep(_ page: Page, level: Int) -> Page {
        if level == buffers.count { buffers.append(.allocate(byteCount: pageSize, alignment: 16)) }
        buffers[level].copyMemory(from: page.start, byteCount: pageSize)
        return Page(start: UnsafeRawPointer(buffers[level]), size: pageSize)
    }
}
