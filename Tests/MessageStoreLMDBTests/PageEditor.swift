import MessageStoreLMDB
import Testing

/// A data file in memory, to be damaged; offsets are those of LMDB 0.9 on 64 bits.
struct PageEditor {
    static let pageSize = 4096

    var bytes: [UInt8]

    init(_ file: String) throws {
        bytes = try FileSystem.read(file, limit: FileSystem.status(of: file)?.size ?? 0)
    }

    var pageCount: Int { bytes.count / Self.pageSize }

    func half(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }

    func word(_ offset: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) }
    }

    mutating func setHalf(_ offset: Int, _ value: Int) {
        bytes[offset] = UInt8(truncatingIfNeeded: value)
        bytes[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
    }

    mutating func setWord(_ offset: Int, _ value: UInt64) {
        for index in 0..<8 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))) }
    }

    /// The offset of the newer meta page.
    var meta: Int { word(144) > word(Self.pageSize + 144) ? 0 : Self.pageSize }
    var freeRoot: Int { Int(word(meta + 80)) }
    var mainRoot: Int { Int(word(meta + 128)) }

    /// Offset of a node in the file.
    func node(_ page: Int, _ slot: Int) -> Int {
        page * Self.pageSize + half(page * Self.pageSize + 16 + 2 * slot)
    }

    func nodeCount(_ page: Int) -> Int { (half(page * Self.pageSize + 12) - 16) / 2 }
    func isBranch(_ page: Int) -> Bool { half(page * Self.pageSize + 10) == 1 }
    func child(_ page: Int, _ slot: Int) -> Int { Int(word(node(page, slot)) & 0xFFFF_FFFF_FFFF) }
    func keyOffset(_ page: Int, _ slot: Int) -> Int { node(page, slot) + 8 }
    func valueOffset(_ page: Int, _ slot: Int) -> Int { node(page, slot) + 8 + half(node(page, slot) + 6) }

    /// The offset of a table's record in the leaf of the list of tables.
    func table(_ name: String) throws -> Int {
        let slot = try #require(
            (0..<nodeCount(mainRoot)).first { slot in
                let key = keyOffset(mainRoot, slot)
                return Array(bytes[key..<key + half(node(mainRoot, slot) + 6)]) == Array(name.utf8)
            })
        return valueOffset(mainRoot, slot)
    }

    func root(_ name: String) throws -> Int { Int(word(try table(name) + 40)) }

    /// The pages of a tree, roots first.
    func pages(below page: Int) -> [Int] {
        guard isBranch(page) else { return [page] }
        return [page] + (0..<nodeCount(page)).flatMap { pages(below: child(page, $0)) }
    }
}
