@_spi(Storage) internal import MessageStoreLog

extension RowTree {
    /// Calls `body` with each key of the leaves that only one of two trees has, in order.
    ///
    /// Of two trees of which one came from the other, every row that differs is among them. Costs a look at the
    /// branches, and at the leaves that were copied on write.
    func forEachKey(notSharedWith other: RowTree, _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        guard !branches.elementsEqual(other.branches, by: ===) else { return }
        var (mine, others) = (UnsharedRows(self, other), UnsharedRows(other, self))
        while true {
            switch (mine.key, others.key) {
            case (nil, nil): return
            case (let key?, nil):
                try body(key)
                mine.advance()
            case (nil, let key?):
                try body(key)
                others.advance()
            case (let key?, let otherKey?):
                let order = ByteOrder.compare(key, otherKey)
                try body(order <= 0 ? key : otherKey)
                if order <= 0 { mine.advance() }
                if order >= 0 { others.advance() }
            }
        }
    }

    /// The rows of the leaves that another tree does not have.
    private struct UnsharedRows {
        private let leaves: [RowLeaf]
        private var leaf = 0
        private var row = 0

        init(_ tree: RowTree, _ other: RowTree) {
            let sharedBranches = Set(other.branches.map { ObjectIdentifier($0) })
            let ownBranches = Set(tree.branches.map { ObjectIdentifier($0) })
            let others = other.branches.filter { !ownBranches.contains(ObjectIdentifier($0)) }
            let sharedLeaves = Set(others.flatMap { $0.leaves.map { ObjectIdentifier($0) } })
            leaves = tree.branches.filter { !sharedBranches.contains(ObjectIdentifier($0)) }
                .flatMap { $0.leaves.filter { !sharedLeaves.contains(ObjectIdentifier($0)) } }
        }

        var key: UnsafeRawBufferPointer? { leaf < leaves.count ? leaves[leaf].key(at: row) : nil }

        mutating func advance() {
            row += 1
            if row == leaves[leaf].count { (leaf, row) = (leaf + 1, 0) }
        }
    }
}

extension IdentityRuns {
    /// The keys of the runs that only one of two has, in order: of two of which one came from the other, every identity
    /// that differs is among them.
    func keys(notSharedWith other: IdentityRuns) -> [IdentityKey] {
        let keys = unsharedRuns(other).flatMap(\.keys) + other.unsharedRuns(self).flatMap(\.keys)
        var sorted = keys.sorted { ($0.high, $0.low) < ($1.high, $1.low) }
        var end = 0
        for key in sorted where end == 0 || sorted[end - 1] != key {
            sorted[end] = key
            end += 1
        }
        sorted.removeSubrange(end...)
        return sorted
    }

    private func unsharedRuns(_ other: IdentityRuns) -> [IdentityRun] {
        let shared = Set(other.all.map { ObjectIdentifier($0) })
        return all.filter { !shared.contains(ObjectIdentifier($0)) }
    }
}

extension IdentityRun {
    fileprivate var keys: [IdentityKey] { (0..<count).map { self[$0].key } }
}
