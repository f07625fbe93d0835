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
            /// The root of another tree.
            case table(UInt64)
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

    /// Where the nodes begin that lie inside the page.
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
                value = .table(load(data + 40))
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
