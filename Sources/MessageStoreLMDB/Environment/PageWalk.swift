/// A walk over the pages of a data file that finds references to pages outside it.
struct PageWalk {
    let path: String
    let pageSize: Int
    let pageCount: Int

    private static let noPage = UInt64.max
    private static let headerSize = 16
    private static let branch: UInt16 = 0x01
    private static let leaf: UInt16 = 0x02
    private static let overflow: UInt16 = 0x04
    private static let bigData: UInt16 = 0x01
    private static let subTable: UInt16 = 0x02
    /// LMDB's own limit, `CURSOR_STACK`.
    private static let maximumDepth = 32

    func check(_ meta: Preflight.Meta) throws {
        try walk(meta.freeRoot, depth: 0)
        try walk(meta.mainRoot, depth: 0)
    }

    private func walk(_ number: UInt64, depth: Int) throws {
        guard number != Self.noPage else { return }
        guard depth < Self.maximumDepth else { throw damage("the tree is too deep") }
        let page = try read(number)
        let flags = page.load(at: 10, as: UInt16.self)
        let lower = Int(page.load(at: 12, as: UInt16.self))
        guard lower >= Self.headerSize, lower <= pageSize else { throw damage("a page's bounds are absurd") }
        guard flags & (Self.branch | Self.leaf) != 0 else { throw damage("a page has the wrong type") }
        for slot in 0..<(lower - Self.headerSize) / 2 {
            let offset = Int(page.load(at: Self.headerSize + 2 * slot, as: UInt16.self))
            guard offset >= lower, offset + 8 <= pageSize else { throw damage("a node lies outside its page") }
            if flags & Self.branch != 0 {
                try walk(page.childNumber(at: offset), depth: depth + 1)
            } else {
                try checkLeafNode(page, at: offset, depth: depth)
            }
        }
    }

    private func checkLeafNode(_ page: Page, at offset: Int, depth: Int) throws {
        let nodeFlags = page.load(at: offset + 4, as: UInt16.self)
        let data = offset + 8 + Int(page.load(at: offset + 6, as: UInt16.self))
        if nodeFlags & Self.bigData != 0 {
            guard data + 8 <= pageSize else { throw damage("a node lies outside its page") }
            let number = page.load(at: data, as: UInt64.self)
            let first = try read(number)
            let count = UInt64(first.load(at: 12, as: UInt32.self))
            guard first.load(at: 10, as: UInt16.self) & Self.overflow != 0, number + count <= UInt64(pageCount) else {
                throw damage("a value lies outside the file")
            }
        } else if nodeFlags & Self.subTable != 0 {
            guard data + 48 <= pageSize else { throw damage("a node lies outside its page") }
            try walk(page.load(at: data + 40, as: UInt64.self), depth: depth + 1)
        }
    }

    private func read(_ number: UInt64) throws -> Page {
        guard number >= 2, number < UInt64(pageCount) else { throw damage("a page lies outside the file") }
        let bytes = try FileSystem.read(path, offset: Int(number) * pageSize, limit: pageSize)
        let page = Page(bytes: bytes)
        guard bytes.count == pageSize, page.load(at: 0, as: UInt64.self) == number else {
            throw damage("a page is not the one that its place says")
        }
        return page
    }

    private func damage(_ detail: String) -> LMDBError {
        Preflight.failure(path, "\(detail); the data file is truncated or damaged")
    }

    private struct Page {
        let bytes: [UInt8]

        func load<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Value.Type) -> Value {
            bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
        }

        func childNumber(at offset: Int) -> UInt64 {
            UInt64(load(at: offset, as: UInt16.self)) | UInt64(load(at: offset + 2, as: UInt16.self)) << 16
                | UInt64(load(at: offset + 4, as: UInt16.self)) << 32
        }
    }
}
