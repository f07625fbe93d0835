@_spi(Storage) internal import MessageStoreLog

/// A place in a ``RowTree``; keeps the tree alive as it was.
struct RowTreeCursor {
    private let tree: RowTree
    private var branch = 0
    private var leaf = 0
    private var row = 0
    private(set) var isValid = false

    init(_ tree: RowTree) {
        self.tree = tree
    }

    /// The key of the row where the cursor is; traps where it is at none.
    var key: UnsafeRawBufferPointer { tree.branches[branch].leaves[leaf].key(at: row) }
    /// The value of that row, nil if it was deleted; traps if the cursor is at none.
    var value: UnsafeRawBufferPointer? { tree.branches[branch].leaves[leaf].value(at: row) }

    /// To the first row whose key is not less than `key`, or the first of all.
    mutating func seek(_ key: UnsafeRawBufferPointer?) {
        guard place(at: key) else { return }
        if row == tree.branches[branch].leaves[leaf].count { advance() }
    }

    /// To the last row whose key is less than `key`, or the last of all.
    mutating func seekBackwards(before key: UnsafeRawBufferPointer?) {
        guard !tree.isEmpty else { return isValid = false }
        if let key {
            guard place(at: key) else { return }
        } else {
            branch = tree.branches.count - 1
            leaf = tree.branches[branch].leaves.count - 1
            row = tree.branches[branch].leaves[leaf].count
            isValid = true
        }
        retreat()
    }

    /// Sets the place to the lower bound of `key`, which may be one past the end of its leaf.
    private mutating func place(at key: UnsafeRawBufferPointer?) -> Bool {
        guard !tree.isEmpty else {
            isValid = false
            return false
        }
        (branch, leaf, row) = (0, 0, 0)
        if let key {
            let prefix = ByteOrder.prefix(of: key)
            branch = tree.branchIndex(key, prefix)
            leaf = tree.leafIndex(tree.branches[branch], key, prefix)
            row = tree.branches[branch].leaves[leaf].search(key, prefix: prefix).index
        }
        isValid = true
        return true
    }

    /// To the next row; the cursor must be at one.
    mutating func advance() {
        assert(isValid, "the cursor is at no row")
        row += 1
        guard row >= tree.branches[branch].leaves[leaf].count else { return }
        (row, leaf) = (0, leaf + 1)
        guard leaf >= tree.branches[branch].leaves.count else { return }
        (leaf, branch) = (0, branch + 1)
        if branch >= tree.branches.count { isValid = false }
    }

    /// The leaf where the cursor is, if it is at its first row and all its rows are below a key.
    func wholeLeaf(below end: UnsafeRawBufferPointer?) -> RowLeaf? {
        guard row == 0 else { return nil }
        let found = tree.branches[branch].leaves[leaf]
        guard let end else { return found }
        return ByteOrder.compare(found.key(at: found.count - 1), end) < 0 ? found : nil
    }

    /// From the first row of a leaf to the row after its last.
    mutating func advance(over leaf: RowLeaf) {
        row = leaf.count - 1
        advance()
    }

    /// To the row before; the cursor must be at one, or just past the end.
    mutating func retreat() {
        assert(isValid, "the cursor is at no row")
        if row > 0 {
            row -= 1
            return
        }
        if leaf > 0 {
            leaf -= 1
        } else if branch > 0 {
            branch -= 1
            leaf = tree.branches[branch].leaves.count - 1
        } else {
            // No leaf has such a row, so that key and value trap.
            row = -1
            return isValid = false
        }
        row = tree.branches[branch].leaves[leaf].count - 1
    }
}
