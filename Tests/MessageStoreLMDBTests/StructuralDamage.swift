import Testing

/// A way in which the pages of a data file contradict each other or themselves.
struct StructuralDamage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (inout PageEditor) throws -> Void

    private static let size = PageEditor.pageSize

    private init(_ description: String, _ apply: @escaping @Sendable (inout PageEditor) throws -> Void) {
        (testDescription, self.apply) = (description, apply)
    }

    /// A leaf of the table, from its middle.
    private static func leaf(_ file: PageEditor) throws -> Int {
        let leaves = try file.pages(below: file.root("rows")).filter { !file.isBranch($0) }
        return leaves[leaves.count / 2]
    }

    static let all = headers + nodes + keys + trees + freePages

    private static let headers = [
        Self("a page that is another one") { try $0.bytes[leaf($0) * size] ^= 1 },
        Self("a leaf that calls itself a branch") { try $0.bytes[leaf($0) * size + 10] = 1 },
        Self("a leaf with a flag too many") { try $0.bytes[leaf($0) * size + 10] |= 0x20 },
        Self("a branch that calls itself a leaf") { try $0.bytes[$0.root("rows") * size + 10] = 2 },
        Self("a page of zeros") { file in
            let start = try leaf(file) * size
            for offset in start..<start + size { file.bytes[offset] = 0 }
        },
        Self("no nodes") { file in try file.setHalf(leaf(file) * size + 12, 16) },
        Self("an odd list of nodes") { file in
            let start = try leaf(file) * size
            file.setHalf(start + 12, file.half(start + 12) + 1)
        },
        Self("a list of nodes that runs into them") { file in
            let start = try leaf(file) * size
            file.setHalf(start + 12, file.half(start + 14) + 2)
        },
        Self("nodes that begin behind the page") { file in try file.setHalf(leaf(file) * size + 14, size + 2) },
    ]

    private static let nodes = [
        Self("a node in the header") { file in try file.setHalf(leaf(file) * size + 16, 4) },
        Self("a node behind the page") { file in try file.setHalf(leaf(file) * size + 16, size - 4) },
        Self("a node in two slots") { file in
            let start = try leaf(file) * size
            file.setHalf(start + 16, file.half(start + 18))
        },
        Self("a key longer than the page") { file in try file.setHalf(file.node(leaf(file), 0) + 6, 5000) },
        Self("a value longer than the page") { file in try file.setHalf(file.node(leaf(file), 0), 5000) },
        Self("a value that is a table") { file in try file.setHalf(file.node(leaf(file), 0) + 4, 2) },
        Self("a value with duplicates") { file in try file.setHalf(file.node(leaf(file), 0) + 4, 4) },
        Self("a slot too few") { file in
            let start = try leaf(file) * size
            file.setHalf(start + 12, file.half(start + 12) - 2)
        },
    ]

    private static let keys = [
        Self("two keys the wrong way round") { file in
            let start = try leaf(file) * size
            let slots = (file.half(start + 16), file.half(start + 18))
            file.setHalf(start + 16, slots.1)
            file.setHalf(start + 18, slots.0)
        },
        Self("a first key that belongs before the page") { file in try file.bytes[file.keyOffset(leaf(file), 0) + 6] = 0
        },
        Self("a last key that belongs behind the page") { file in
            let page = try leaf(file)
            file.bytes[file.keyOffset(page, file.nodeCount(page) - 1) + 6] = 0x7F
        },
        Self("a key of a branch that leads elsewhere") { file in
            let root = try file.root("rows")
            file.bytes[file.keyOffset(root, file.nodeCount(root) / 2) + 7] ^= 0x10
        },
        Self("leaves the wrong way round") { file in
            let branch = try #require(file.pages(below: file.root("rows")).last { file.isBranch($0) })
            let numbers = (file.word(file.node(branch, 1)), file.word(file.node(branch, 2)))
            // The page's number is 48 bits; the key's size follows.
            file.setWord(file.node(branch, 1), numbers.1)
            file.setWord(file.node(branch, 2), numbers.0)
        },
    ]

    private static let trees = [
        Self("a page that is its own child") { file in
            let root = try file.root("rows")
            file.setWord(file.node(root, 0), UInt64(root) | file.word(file.node(root, 0)) & 0xFFFF << 48)
        },
        Self("a page with two parents") { file in
            let branch = try #require(file.pages(below: file.root("rows")).last { file.isBranch($0) })
            let (first, second) = (file.word(file.node(branch, 1)), file.word(file.node(branch, 2)))
            file.setWord(file.node(branch, 2), first & 0xFFFF_FFFF_FFFF | second & 0xFFFF << 48)
        },
        Self("a child behind the file") { file in
            let root = try file.root("rows")
            file.setWord(
                file.node(root, 0), UInt64(file.pageCount) + 5 | file.word(file.node(root, 0)) & 0xFFFF << 48)
        },
        Self("a child that is a meta page") { file in
            let root = try file.root("rows")
            file.setWord(file.node(root, 0), 1 | file.word(file.node(root, 0)) & 0xFFFF << 48)
        },
        Self("a tree that is less deep than it says") { file in
            let record = try file.table("rows")
            file.setHalf(record + 6, file.half(record + 6) + 1)
        },
        Self("a tree that is too deep") { file in try file.setHalf(file.table("rows") + 6, 40) },
        Self("a table with fewer entries") { file in
            let record = try file.table("rows")
            file.setWord(record + 32, file.word(record + 32) + 1)
        },
        Self("a table with fewer pages") { file in
            let record = try file.table("rows")
            file.setWord(record + 16, file.word(record + 16) + 1)
        },
        Self("a table that is empty") { file in try file.setWord(file.table("rows") + 40, .max) },
        Self("a table with duplicates") { file in try file.setHalf(file.table("rows") + 4, 4) },
        Self("a table whose keys are numbers") { file in try file.setHalf(file.table("rows") + 4, 8) },
        Self("a meta page for another kind of table") { file in file.setHalf(file.meta + 92, 4) },
        Self("tables that share a page") { file in
            try file.setWord(file.table("other") + 40, UInt64(file.root("rows")))
        },
        Self("a large value that is a small page") { file in
            let (page, slot) = try largeValue(file)
            try file.setWord(file.valueOffset(page, slot), UInt64(leaf(file)))
        },
        Self("a large value that is longer than its pages") { file in
            let (page, slot) = try largeValue(file)
            file.setHalf(file.node(page, slot), 60_000)
        },
        Self("a large value that runs into other pages") { file in
            let (page, slot) = try largeValue(file)
            file.bytes[Int(file.word(file.valueOffset(page, slot))) * size + 12] += 40
        },
    ]

    private static let freePages = [
        Self("a free page that is used") { file in
            let (list, count) = freeList(file)
            try file.setWord(list + 8 * count, min(file.word(list + 8 * count), UInt64(file.root("rows"))))
        },
        Self("a free page twice") { file in
            let (list, _) = freeList(file)
            file.setWord(list + 16, file.word(list + 8))
        },
        Self("free pages out of order") { file in
            let (list, _) = freeList(file)
            let pages = (file.word(list + 8), file.word(list + 16))
            file.setWord(list + 8, pages.1)
            file.setWord(list + 16, pages.0)
        },
        Self("a free page behind the last") { file in file.setWord(freeList(file).0 + 8, 1 << 40) },
        Self("a list of free pages that is longer than its value") { file in file.setWord(freeList(file).0, 1 << 60) },
        Self("pages freed by a later commit") { file in
            let page = file.pages(below: file.freeRoot).last ?? file.freeRoot
            file.setWord(file.keyOffset(page, file.nodeCount(page) - 1), file.word(file.meta + 144) + 2)
        },
        Self("more pages than the file has") { file in
            file.setWord(file.meta + 136, file.word(file.meta + 136) + 3)
        },
    ]

    /// A node with a large value.
    private static func largeValue(_ file: PageEditor) throws -> (page: Int, slot: Int) {
        for page in try file.pages(below: file.root("rows")) where !file.isBranch(page) {
            if let slot = (0..<file.nodeCount(page)).first(where: { file.half(file.node(page, $0) + 4) == 1 }) {
                return (page, slot)
            }
        }
        throw NoTable()
    }

    /// A list of at least two free pages, and how many they are.
    private static func freeList(_ file: PageEditor) -> (offset: Int, count: Int) {
        for page in file.pages(below: file.freeRoot) where !file.isBranch(page) {
            for slot in 0..<file.nodeCount(page) where file.half(file.node(page, slot) + 4) == 0 {
                let list = file.valueOffset(page, slot)
                if file.word(list) > 1 { return (list, Int(file.word(list))) }
            }
        }
        return (0, 0)
    }
}
