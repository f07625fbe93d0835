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
    /// Where the list of nodes ends, and where the nodes begin.
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

    /// The node of a slot, or nil where it does not lie in the page's part for nodes.
    func node(_ slot: Int) -> Node? {
        let offset = Int(load(Self.headerSize + 2 * slot, UInt16.self))
        guard offset >= upper, offset & 1 == 0, offset + Node.headerSize <= size else { return nil }
        let node = Node(page: self, offset: offset)
        return node.byteCount <= size - offset ? node : nil
    }
}
