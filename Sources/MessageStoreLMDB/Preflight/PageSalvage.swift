/// The entries of a data file whose trees may be broken: leaf pages are found by their own headers, page by page.
///
/// The file is read with `pread` and never mapped. Nothing of it is believed: lengths are held against the page and the
/// file, and whether an entry is genuine is for the caller to say. The layout is LMDB 0.9's, as in ``Preflight``.
package struct PageSalvage {
    /// How much an entry is to be believed; an older version of a page can be found next to the newer one.
    package enum Standing: UInt8, Comparable, Sendable {
        /// Inside of what looks like a value of several pages: may be what somebody wrote to look like a page.
        case doubtful
        /// On the list of free pages, or older than the pages that the tree holds.
        case free
        /// Neither in the tree nor on the list, as far as the two can be read.
        case unreached
        /// In the tree.
        case live

        package static func < (first: Standing, second: Standing) -> Bool { first.rawValue < second.rawValue }
    }

    /// The place of a value in the file.
    package struct Place: Sendable {
        package let offset: Int
        package let count: Int
    }

    package let pageCount: Int
    let pageSize: Int
    private let file: DataFile

    /// Opens the data file at `path`, a regular file.
    ///
    /// - Throws: ``FileError``; ``LMDBError`` where no page size makes sense of it.
    package init(path: String) throws {
        file = try DataFile(path)
        guard let size = Self.pageSize(of: file) else { throw Preflight.failure(path, "no page can be recognised") }
        pageSize = size
        pageCount = file.size / size
        file.adopt(pageSize: size)
    }

    /// The bytes at a place.
    package func read(_ place: Place) throws -> [UInt8] {
        try file.bytes(at: place.offset, place.count)
    }

    /// Calls `body` with every entry of every leaf page, in the order of the pages.
    package func forEachEntry(
        progress: (_ page: Int, _ pages: Int) throws -> Void,
        _ body: (_ key: RawSpan, _ value: RawSpan, _ place: Place, _ standing: Standing) throws -> Void
    ) throws {
        let standings = PageStandings(self)
        var overflowEnd = 0
        for number in 0..<pageCount {
            if number % 1024 == 0 { try progress(number, pageCount) }
            guard let page = page(number) else { continue }
            if page.isOverflow { overflowEnd = max(overflowEnd, number + min(page.overflowPages, pageCount - number)) }
            guard page.isLeaf else { continue }
            var standing = standings[number]
            if number < overflowEnd, standing < .live { standing = .doubtful }
            for entry in page.entries {
                switch entry.value {
                case .inPage(let range):
                    let place = Place(offset: number * pageSize + range.lowerBound, count: range.count)
                    try body(page.span(entry.key), page.span(range), place, standing)
                case .overflow(let first, let count):
                    guard let place = overflowPlace(first, count), let bytes = try? read(place) else { continue }
                    try body(page.span(entry.key), bytes.span.bytes, place, standing)
                case .table: continue
                }
            }
        }
        try progress(pageCount, pageCount)
    }

    /// The page at a number; nil if it cannot be read or is not the one that its place says.
    func page(_ number: Int) -> SalvagedPage? {
        guard number >= 2, number < pageCount, let start = start(of: number),
            let page = SalvagedPage([UInt8](UnsafeRawBufferPointer(start: start, count: pageSize))),
            page.number == UInt64(number)
        else { return nil }
        return page
    }

    /// A page's place in memory, until another is asked for; nil if the medium does not give it.
    ///
    /// A piece of several pages fails with any of them, so that the page is asked for once more, alone.
    private func start(of number: Int) -> UnsafeRawPointer? {
        (try? file.page(number)) ?? (try? file.page(number))
    }

    /// A value of its own pages; nil if they do not hold so many bytes.
    func overflowPlace(_ first: UInt64, _ count: Int) -> Place? {
        guard let first = Int(exactly: first), let page = page(first), page.isOverflow,
            page.overflowPages <= pageCount - first, count <= page.overflowPages * pageSize - SalvagedPage.header
        else { return nil }
        return Place(offset: first * pageSize + SalvagedPage.header, count: count)
    }

    /// The meta page in a slot; nil if it cannot be one.
    func meta(_ slot: Int) -> (transaction: UInt64, freeRoot: UInt64, mainRoot: UInt64)? {
        guard let bytes = try? file.bytes(at: slot * pageSize, 152) else { return nil }
        let span = bytes.span.bytes
        func word(_ offset: Int) -> UInt64 { span.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        guard Self.isMeta(span), Int(span.unsafeLoadUnaligned(fromByteOffset: 40, as: UInt32.self)) == pageSize else {
            return nil
        }
        return (word(144), word(80), word(128))
    }

    /// How many entries a named table has by the last commit.
    ///
    /// - Returns: nil if a meta page or the way from the newer one to the table cannot be read.
    package func entryCount(of table: String) -> UInt64? {
        guard let first = meta(0), let second = meta(1) else { return nil }
        var waiting = [first.transaction > second.transaction ? first.mainRoot : second.mainRoot]
        var visited: Set<UInt64> = []
        while let next = waiting.popLast(), visited.insert(next).inserted {
            guard let number = Int(exactly: next), let page = page(number) else { return nil }
            if page.isBranch { waiting += page.children }
            guard page.isLeaf else { continue }
            for entry in page.entries where page.span(entry.key).withUnsafeBytes({ $0.elementsEqual(table.utf8) }) {
                if case .table(_, let entryCount) = entry.value { return entryCount }
            }
        }
        return nil
    }

    private static func isMeta(_ bytes: RawSpan) -> Bool {
        bytes.byteCount >= 24 && bytes.unsafeLoadUnaligned(fromByteOffset: 16, as: UInt32.self) == 0xBEEF_C0DE
    }

    /// The size with which most pages carry the number of their place.
    private static func pageSize(of file: DataFile) -> Int? {
        let sizes = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]
        let votes = sizes.map { size in
            let pages = file.size / size
            return stride(from: 2, to: pages, by: max(1, pages / 4096)).count { number in
                guard let header = try? file.bytes(at: number * size, SalvagedPage.header) else { return false }
                return header.span.bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self) == UInt64(number)
            }
        }
        guard let most = votes.max(), most > 0 else { return nil }
        return zip(sizes, votes).first { $0.1 == most }?.0
    }
}

/// The pages of a data file that the trees hold, and the free ones, as far as trees and list can be read.
struct PageStandings {
    private var standings: [PageSalvage.Standing]

    init(_ file: PageSalvage) {
        standings = [PageSalvage.Standing](repeating: .unreached, count: file.pageCount)
        let metas = [0, 1].compactMap { file.meta($0) }.sorted { $0.transaction > $1.transaction }
        guard let newest = metas.first else { return }
        mark(newest.mainRoot, in: file) { _, _ in }
        var free: [UInt64] = []
        mark(newest.freeRoot, in: file) { page, entry in
            guard let bytes = file.value(of: entry, in: page) else { return }
            // The number of pages, and their numbers.
            for offset in stride(from: 8, through: bytes.count - 8, by: 8) {
                free.append(bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
        }
        for number in free {
            guard let number = Int(exactly: number), number < standings.count, standings[number] != .live else {
                continue
            }
            standings[number] = .free
        }
    }

    subscript(number: Int) -> PageSalvage.Standing { standings[number] }

    /// Marks what a root leads to; pages that are damaged end a branch, and none is looked at twice.
    private mutating func mark(
        _ root: UInt64, in file: PageSalvage, _ visit: (SalvagedPage, SalvagedPage.Entry) -> Void
    ) {
        var waiting = [root]
        while let next = waiting.popLast() {
            guard let number = Int(exactly: next), number < standings.count, standings[number] != .live,
                let page = file.page(number)
            else { continue }
            standings[number] = .live
            if page.isBranch { waiting += page.children }
            guard page.isLeaf else { continue }
            for entry in page.entries {
                switch entry.value {
                case .table(let root, _): waiting.append(root)
                case .overflow(let first, _): markRun(first, in: file)
                case .inPage: break
                }
                visit(page, entry)
            }
        }
    }

    private mutating func markRun(_ first: UInt64, in file: PageSalvage) {
        guard let number = Int(exactly: first), file.page(number)?.isOverflow == true else { return }
        standings[number] = .live
    }
}

extension PageSalvage {
    /// The bytes of an entry's value; nil if they cannot be read.
    func value(of entry: SalvagedPage.Entry, in page: SalvagedPage) -> [UInt8]? {
        switch entry.value {
        case .inPage(let range): page.span(range).withUnsafeBytes { [UInt8]($0) }
        case .overflow(let first, let count): overflowPlace(first, count).flatMap { try? read($0) }
        case .table: nil
        }
    }
}

/// One page of a data file that may be damaged: only what lies inside of it is answered.
struct SalvagedPage {
    static let header = 16

    /// A node of a leaf.
    struct Entry {
        enum Value {
            /// In the page.
            case inPage(Range<Int>)
            /// On pages of its own: the first of them, and the bytes of the value.
            case overflow(UInt64, Int)
            /// The root of another tree, and how many entries that has.
            case table(UInt64, entryCount: UInt64)
        }

        let key: Range<Int>
        let value: Value
    }

    private let bytes: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard bytes.count > Self.header else { return nil }
        self.bytes = bytes
    }

    var number: UInt64 { load(0) }
    private var flags: UInt16 { load(10) }
    // A page is of one kind.
    var isBranch: Bool { flags & 0x0F == 0x01 }
    var isLeaf: Bool { flags & 0x2F == 0x02 }
    var isOverflow: Bool { flags & 0x0F == 0x04 }
    var overflowPages: Int { Int(load(12) as UInt32) }

    /// The beginnings of the nodes that lie inside the page.
    private var nodes: [Int] {
        let lower = Int(load(12) as UInt16)
        guard lower >= Self.header, lower <= bytes.count else { return [] }
        return (0..<(lower - Self.header) / 2).map { Int(load(Self.header + 2 * $0) as UInt16) }
            .filter { $0 >= lower && $0 + 8 <= bytes.count }
    }

    /// The pages below a branch.
    var children: [UInt64] {
        nodes.map { UInt64(load($0) as UInt32) | UInt64(load($0 + 4) as UInt16) << 32 }
    }

    /// The nodes of a leaf that lie inside the page.
    var entries: [Entry] {
        nodes.compactMap { node in
            let flags: UInt16 = load(node + 4)
            let data = node + 8 + Int(load(node + 6) as UInt16)
            let count = Int(load(node) as UInt32)
            guard data <= bytes.count else { return nil }
            let value: Entry.Value
            if flags & 0x01 != 0 {
                guard data + 8 <= bytes.count else { return nil }
                value = .overflow(load(data), count)
            } else if flags & 0x02 != 0 {
                guard data + 48 <= bytes.count else { return nil }
                value = .table(load(data + 40), entryCount: load(data + 32))
            } else {
                guard count <= bytes.count - data else { return nil }
                value = .inPage(data..<data + count)
            }
            return Entry(key: node + 8..<data, value: value)
        }
    }

    @_lifetime(borrow self)
    func span(_ range: Range<Int>) -> RawSpan {
        bytes.span.bytes.extracting(range)
    }

    func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Value {
        bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Value.self)
    }
}
