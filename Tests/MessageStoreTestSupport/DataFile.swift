import Foundation

/// The bytes of an LMDB data file, for tests that damage it at a known place; pages of 4,096 bytes.
struct DataFile {
    static let pageSize = 4096
    private static let header = 16
    let path: String
    var bytes: [UInt8]

    init(_ path: String) throws {
        self.path = path
        bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    func write() throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }

    var pageCount: Int { bytes.count / Self.pageSize }

    func number(_ offset: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }

    mutating func flip(bit: Int, at offset: Int) { bytes[offset] ^= UInt8(1 << bit) }

    mutating func zero(page: Int) {
        let start = page * Self.pageSize
        for offset in start..<min(start + Self.pageSize, bytes.count) { bytes[offset] = 0 }
    }

    /// The offset of the meta page with the greater transaction number.
    var newestMeta: Int { number(144, 8) > number(Self.pageSize + 144, 8) ? 0 : Self.pageSize }

    /// The pages of a table.
    func pages(of table: String) -> (branches: [Int], leaves: [Int]) {
        var root: Int?
        for leaf in pages(under: number(newestMeta + 128, 8)).leaves {
            for node in nodes(of: leaf) where key(of: node) == Array(table.utf8) {
                root = number(node + 8 + number(node + 6, 2) + 40, 8)
            }
        }
        return root.map { pages(under: $0) } ?? ([], [])
    }

    private func pages(under root: Int) -> (branches: [Int], leaves: [Int]) {
        guard number(root * Self.pageSize + 10, 2) & 1 != 0 else { return ([], [root]) }
        var (branches, leaves) = ([root], [Int]())
        for node in nodes(of: root) {
            let below = pages(under: number(node, 4) | number(node + 4, 2) << 32)
            branches += below.branches
            leaves += below.leaves
        }
        return (branches, leaves)
    }

    /// The offsets of a page's nodes in the file.
    func nodes(of page: Int) -> [Int] {
        let start = page * Self.pageSize
        return (0..<(number(start + 12, 2) - Self.header) / 2).map { start + number(start + Self.header + 2 * $0, 2) }
    }

    func key(of node: Int) -> [UInt8] { Array(bytes[node + 8..<node + 8 + number(node + 6, 2)]) }

    func value(of node: Int) -> [UInt8] {
        let start = node + 8 + number(node + 6, 2)
        return Array(bytes[start..<start + (number(node, 2) | number(node + 2, 2) << 16)])
    }
}
