@_spi(Storage) internal import MessageStoreLog

extension RowTree {
    /// The rows of several trees.
    ///
    /// Leaves are shared with the trees as far as no rows of others lie between theirs.
    ///
    /// - Parameter resolve: Answers the row of a key that several have.
    init(merging trees: [RowTree], resolve: (RawSpan, [FoldShard.PartRow]) throws -> [UInt8]?) rethrows {
        self.init()
        var cursors = trees.enumerated().filter { !$0.element.isEmpty }
            .map { (part: $0.offset, cursor: RowTreeCursor($0.element)) }
        for index in cursors.indices { cursors[index].cursor.seek(nil) }
        while cursors.count > 1 {
            var (first, equal) = (0, [0])
            for index in 1..<cursors.count {
                let order = ByteOrder.compare(cursors[index].cursor.key, cursors[first].cursor.key)
                if order < 0 { (first, equal) = (index, [index]) }
                if order == 0 { equal.append(index) }
            }
            if equal.count == 1 {
                let end = cursors.indices.filter { $0 != first }.map { cursors[$0].cursor.key }
                    .min { ByteOrder.compare($0, $1) < 0 }
                append(&cursors[first].cursor, below: end)
            } else {
                let key = cursors[first].cursor.key
                let rows = equal.map { (cursors[$0].part, cursors[$0].cursor.value.map { [UInt8]($0) }) }
                if let row = try resolve(RawSpan(_unsafeBytes: key), rows) {
                    row.withUnsafeBytes { _ = set(key, $0) }
                } else {
                    set(key, nil)
                }
                for index in equal { cursors[index].cursor.advance() }
            }
            cursors.removeAll { !$0.cursor.isValid }
        }
        if var last = cursors.first?.cursor { append(&last, below: nil) }
    }

    /// Appends the rows from a cursor's place up to a key, and moves the cursor there.
    private mutating func append(_ cursor: inout RowTreeCursor, below end: UnsafeRawBufferPointer?) {
        repeat {
            if let leaf = cursor.wholeLeaf(below: end) {
                append(leaf)
                cursor.advance(over: leaf)
            } else {
                set(cursor.key, cursor.value)
                cursor.advance()
            }
        } while cursor.isValid && end.map { ByteOrder.compare(cursor.key, $0) < 0 } ?? true
    }
}
