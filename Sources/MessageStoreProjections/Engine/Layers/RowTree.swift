@_spi(Storage) internal import MessageStoreLog

/// Rows in key order, in memory: one table of the write buffer.
///
/// A tree of fixed depth: branches, leaves, rows. It is a value: copying it costs O(1) and later changes
/// copy only the leaves they touch, so a reader keeps its snapshot while the writer goes on. A deleted
/// row stays as a mark that hides the row below it in the views' environment.
struct RowTree: Sendable {
    static let branchCapacity = 128

    /// Up to 128 leaves.
    final class Branch: @unchecked Sendable {  // Changed only while one tree refers to it (copy on write).
        private struct Contents {
            var leaves: ContiguousArray<RowLeaf>
            var prefixes: ContiguousArray<KeyPrefix>
        }

        /// The pointer spares the exclusivity checks of class properties.
        private let contents: UnsafeMutablePointer<Contents>

        fileprivate init(leaves: ContiguousArray<RowLeaf>, prefixes: ContiguousArray<KeyPrefix>) {
            contents = .allocate(capacity: 1)
            contents.initialize(to: Contents(leaves: leaves, prefixes: prefixes))
        }

        deinit {
            contents.deinitialize(count: 1)
            contents.deallocate()
        }

        fileprivate(set) var leaves: ContiguousArray<RowLeaf> {
            _read { yield contents.pointee.leaves }
            _modify { yield &contents.pointee.leaves }
        }

        fileprivate var prefixes: ContiguousArray<KeyPrefix> {
            _read { yield contents.pointee.prefixes }
            _modify { yield &contents.pointee.prefixes }
        }
    }

    /// A tree's answer about a key.
    enum Lookup {
        case absent
        case deleted
        /// Valid until the tree is changed or destroyed.
        case found(UnsafeRawBufferPointer)
    }

    private(set) var branches: ContiguousArray<Branch> = []
    /// The first key's prefix of each branch.
    private var branchPrefixes: ContiguousArray<KeyPrefix> = []
    /// Rows, deleted ones included.
    private(set) var count = 0
    /// The place of the last row set: the next one mostly belongs there, too.
    private var last = (branch: 0, leaf: 0, row: 0)

    var isEmpty: Bool { count == 0 }
    /// Bytes of all leaves; costs a step for each leaf.
    var byteCount: Int { branches.reduce(0) { sum, branch in branch.leaves.reduce(sum) { $0 + $1.byteCount } } }

    func lookup(_ key: UnsafeRawBufferPointer) -> Lookup {
        guard count > 0 else { return .absent }
        let prefix = ByteOrder.prefix(of: key)
        let branch = branches[branchIndex(key, prefix)]
        let leaf = branch.leaves[leafIndex(branch, key, prefix)]
        let (index, isEqual) = leaf.search(key, prefix: prefix)
        guard isEqual else { return .absent }
        return leaf.value(at: index).map { .found($0) } ?? .deleted
    }

    /// Sets a row; a nil value marks it deleted. Answers by how many bytes memory grew.
    @discardableResult
    mutating func set(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) -> Int {
        let prefix = ByteOrder.prefix(of: key)
        var grown = 0
        if branches.isEmpty {
            let leaf = RowLeaf()
            branches = [Branch(leaves: [leaf], prefixes: [.least])]
            branchPrefixes = [.least]
            grown = leaf.byteCount
        }
        let isNearLast = belongsToLastLeaf(prefix)
        let branchIndex = isNearLast ? last.branch : branchIndex(key, prefix)
        if !isKnownUniquelyReferenced(&branches[branchIndex]) {
            let old = branches[branchIndex]
            branches[branchIndex] = Branch(leaves: old.leaves, prefixes: old.prefixes)
        }
        // The tree holds branch and leaf: no reference is counted for each row that is set.
        return Unmanaged.passUnretained(branches[branchIndex])._withUnsafeGuaranteedRef { branch in
            let leafIndex = isNearLast ? last.leaf : leafIndex(branch, key, prefix)
            if !isKnownUniquelyReferenced(&branch.leaves[leafIndex]) {
                let old = branch.leaves[leafIndex]
                let copy = old.copy(0..<old.count, room: RowLeaf.room)
                branch.leaves[leafIndex] = copy
                grown = copy.byteCount - old.byteCount
            }
            return Unmanaged.passUnretained(branch.leaves[leafIndex])._withUnsafeGuaranteedRef { leaf in
                // Rows of a conversation mostly come one after the other.
                let isNext = isNearLast && leaf.isBetweenRows(last.row + 1, prefix)
                let (index, isEqual) = isNext ? (last.row + 1, false) : leaf.search(key, prefix: prefix)
                last = (branchIndex, leafIndex, index)
                return grown + set(leaf, branch, prefix: prefix, key: key, value: value, isEqual: isEqual)
            }
        }
    }

    /// Sets the row whose place is the last one, in a leaf that no other tree has.
    @inline(__always)
    private mutating func set(
        _ leaf: RowLeaf, _ branch: Branch, prefix: KeyPrefix, key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer?, isEqual: Bool
    ) -> Int {
        let (branchIndex, leafIndex, index) = last
        let before = leaf.byteCount
        if isEqual {
            leaf.update(at: index, value: value)
            return leaf.byteCount - before
        }
        count += 1
        guard leaf.isFull else {
            leaf.insert(prefix: prefix, key: key, value: value, at: index)
            if index == 0 {
                branch.prefixes[leafIndex] = prefix
                branchPrefixes[branchIndex] = branch.prefixes[0]
            }
            return leaf.byteCount - before
        }
        let grown = insertSplitting(branch, leafIndex, prefix: prefix, key: key, value: value, at: index)
        branchPrefixes[branchIndex] = branch.prefixes[0]
        if branch.leaves.count > Self.branchCapacity { split(branchIndex) }
        return grown
    }

    /// Inserts into a full leaf, which is split in halves; where rows ascend to the place of the new one, it is split
    /// there, so that they fill leaves further than by half.
    private func insertSplitting(
        _ branch: Branch, _ leafIndex: Int, prefix: KeyPrefix, key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer?, at index: Int
    ) -> Int {
        let left = branch.leaves[leafIndex]
        let (before, half) = (left.byteCount, left.count / 2)
        let cut = left.rowsAscend(to: index) ? index : half
        let goesRight = index > cut || index == cut && cut >= half
        let right = left.copy(cut..<left.count, room: goesRight ? RowLeaf.room : 0)
        left.truncate(to: cut)
        if goesRight {
            right.insert(prefix: prefix, key: key, value: value, at: index - cut)
        } else {
            left.insert(prefix: prefix, key: key, value: value, at: index)
        }
        branch.leaves.insert(right, at: leafIndex + 1)
        branch.prefixes[leafIndex] = left.firstPrefix
        branch.prefixes.insert(right.firstPrefix, at: leafIndex + 1)
        return left.byteCount + right.byteCount - before
    }

    private mutating func split(_ index: Int) {
        let branch = branches[index]
        // As with leaves: growth at the very end keeps the branches before it full.
        let cut = index == branches.count - 1 ? branch.leaves.count - 1 : branch.leaves.count / 2
        let right = Branch(
            leaves: ContiguousArray(branch.leaves[cut...]), prefixes: ContiguousArray(branch.prefixes[cut...]))
        branch.leaves.removeSubrange(cut...)
        branch.prefixes.removeSubrange(cut...)
        branches.insert(right, at: index + 1)
        branchPrefixes.insert(right.prefixes[0], at: index + 1)
    }

    /// Appends a leaf that follows on all others, to a tree without copies.
    mutating func append(_ leaf: RowLeaf) {
        count += leaf.count
        if let branch = branches.last, branch.leaves.count < Self.branchCapacity {
            branch.leaves.append(leaf)
            branch.prefixes.append(leaf.firstPrefix)
        } else {
            branches.append(Branch(leaves: [leaf], prefixes: [leaf.firstPrefix]))
            branchPrefixes.append(leaf.firstPrefix)
        }
    }

    /// Whether a key of this prefix belongs to the leaf in which a row was set last; false also if only the whole key
    /// decides.
    private func belongsToLastLeaf(_ prefix: KeyPrefix) -> Bool {
        guard last.branch < branches.count else { return false }
        let prefixes = branches[last.branch].prefixes
        guard last.leaf < prefixes.count, prefixes[last.leaf] < prefix else { return false }
        if last.leaf + 1 < prefixes.count { return prefix < prefixes[last.leaf + 1] }
        return last.branch + 1 == branches.count || prefix < branchPrefixes[last.branch + 1]
    }

    /// The last branch whose first key is not greater than `key`; 0 if there is none.
    func branchIndex(_ key: UnsafeRawBufferPointer, _ prefix: KeyPrefix) -> Int {
        var low = 1
        var high = branches.count
        while low < high {
            let middle = (low + high) &>> 1
            let own = branchPrefixes[middle]
            let isBefore =
                own != prefix ? own < prefix : branches[middle].leaves[0].compare(at: 0, key, prefix: prefix) <= 0
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    /// The last leaf whose first key is not greater than `key`; 0 if there is none.
    func leafIndex(_ branch: Branch, _ key: UnsafeRawBufferPointer, _ prefix: KeyPrefix) -> Int {
        var low = 1
        var high = branch.leaves.count
        while low < high {
            let middle = (low + high) &>> 1
            let own = branch.prefixes[middle]
            let isBefore = own != prefix ? own < prefix : branch.leaves[middle].compare(at: 0, key, prefix: prefix) <= 0
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }
}

extension RowTree {
    /// Checks every leaf, and that leaves and branches are in order, of the size allowed, and found by their prefixes.
    func checkInvariants() throws {
        try BrokenInvariant.check(isEmpty == branches.isEmpty, "a tree of \(count) rows has \(branches.count) branches")
        try BrokenInvariant.check(branches.count == branchPrefixes.count, "a branch has no prefix")
        var rows = 0
        var previous: RowLeaf?
        for (branch, prefix) in zip(branches, branchPrefixes) {
            let size = branch.leaves.count
            try BrokenInvariant.check(size > 0 && size <= Self.branchCapacity, "a branch has \(size) leaves")
            try BrokenInvariant.check(branch.prefixes.count == size, "a leaf has no prefix")
            try BrokenInvariant.check(prefix == branch.prefixes[0], "a branch's prefix is not that of its first leaf")
            for (leaf, prefix) in zip(branch.leaves, branch.prefixes) {
                try leaf.checkInvariants()
                try BrokenInvariant.check(prefix == leaf.firstPrefix, "a leaf's prefix is not that of its first key")
                if let previous {
                    let order = ByteOrder.compare(previous.key(at: previous.count - 1), leaf.key(at: 0))
                    try BrokenInvariant.check(order < 0, "a leaf begins before the end of the one before it")
                }
                previous = leaf
                rows += leaf.count
            }
        }
        try BrokenInvariant.check(rows == count, "a tree of \(count) rows has \(rows) in its leaves")
    }
}

extension RowTree {
    /// Calls `body` with each key of the leaves that only one of two trees has, in order.
    ///
    /// If one of two trees came from the other, every row that differs is among them. Costs a look at the branches, and
    /// at the leaves that were copied on write.
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
    /// The keys of the runs that only one of two has, in order: if one came from the other, every identity that differs
    /// is among them.
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
