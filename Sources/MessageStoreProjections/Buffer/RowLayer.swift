internal import MessageStoreLog

/// The changed rows of every table up to a position: the write buffer, filling or frozen.
struct RowLayer: Sendable {
    private(set) var trees = [RowTree](repeating: RowTree(), count: ViewTable.count)
    /// The position that the layer, on top of what is below, is the fold of.
    var position: Position
    /// Bytes of memory that the rows take.
    private(set) var byteCount = 0

    init(position: Position) {
        self.position = position
    }

    var rowCount: Int { trees.reduce(0) { $0 + $1.count } }

    subscript(table: ViewTable) -> RowTree { trees[Int(table.rawValue)] }

    func lookup(_ table: ViewTable, _ key: UnsafeRawBufferPointer) -> RowTree.Lookup {
        trees[Int(table.rawValue)].lookup(key)
    }

    mutating func set(_ table: ViewTable, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) {
        byteCount += trees[Int(table.rawValue)].set(key, value)
    }
}
