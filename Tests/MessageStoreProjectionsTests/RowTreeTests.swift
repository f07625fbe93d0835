@_spi(Storage) import MessageStoreLog
import Testing

@testable import MessageStoreProjections

@Suite("The write buffer's tree") struct RowTreeTests {
    @Test("a tree equals a sorted dictionary, and its snapshots stay", arguments: Seeds.first(2))
    func equalsModel(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var tree = RowTree()
        var model = RowModel()
        var snapshots: [(tree: RowTree, rows: [Row])] = []
        for step in 0..<12_000 {
            let key = random.key(spread: 3000)
            let value: [UInt8]? =
                switch random.below(20) {
                case 0...3: nil
                case 4: []
                case 5: random.bytes(3000)
                default: random.bytes(random.below(30))
                }
            tree.set(key, value)
            model.rows[key] = .some(value)
            if step % 2500 == 7 { snapshots.append((tree, model.sorted)) }
            if step % 1000 == 0 { try tree.checkInvariants() }
        }
        try tree.checkInvariants()
        #expect(tree.rows == model.sorted, "seed \(seed)")
        #expect(tree.count == model.rows.count)
        for snapshot in snapshots {
            #expect(snapshot.tree.rows == snapshot.rows, "seed \(seed)")
            try snapshot.tree.checkInvariants()
        }
        #expect(model.sorted.prefix(2000).filter { !holds(tree, $0) } == [], "seed \(seed)")
    }

    @Test("the keys that two trees do not share have all rows that differ, in order", arguments: Seeds.first(2))
    func unsharedKeys(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var tree = RowTree()
        for _ in 0..<20_000 { tree.set(random.key(spread: 30_000), random.bytes(4)) }
        for changes in [0, 1, 3, 500] {
            let before = tree
            for _ in 0..<changes { tree.set(random.key(spread: 30_000), random.below(3) == 0 ? nil : random.bytes(4)) }
            let rows = (
                Dictionary(uniqueKeysWithValues: before.rows.map { ($0.key, $0.value) }),
                Dictionary(uniqueKeysWithValues: tree.rows.map { ($0.key, $0.value) })
            )
            let differing = Set(rows.0.keys).union(rows.1.keys).filter { rows.0[$0] != rows.1[$0] }
            for (one, other) in [(before, tree), (tree, before)] {
                var keys: [[UInt8]] = []
                one.forEachKey(notSharedWith: other) { keys.append([UInt8]($0)) }
                #expect(Set(keys).isSuperset(of: differing) && keys.count <= changes * 200)
                #expect(keys == Set(keys).sorted { $0.lexicographicallyPrecedes($1) })
            }
        }
    }

    @Test("ascending and descending keys fill a tree of many branches", arguments: [true, false])
    func manyBranches(isAscending: Bool) throws {
        var tree = RowTree()
        let numbers = Array(0..<30_000)
        for number in isAscending ? numbers : numbers.reversed() { tree.set(number.bigEndianBytes, [1]) }
        #expect(tree.branches.count > 1)
        try tree.checkInvariants()
        #expect(tree.rows.map(\.key) == numbers.map { $0.bigEndianBytes })
    }

    @Test("many ascending runs side by side fill two thirds of the leaves", arguments: [10, 11] as [UInt64])
    func ascendingRuns(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var tree = RowTree()
        var lengths = [Int](repeating: 0, count: 50)
        for _ in 0..<2_000 {
            let run = random.below(lengths.count)
            for _ in 0...random.below(6) {
                tree.set((UInt64(run) << 32 | UInt64(lengths[run])).bigEndianBytes, [1])
                lengths[run] += 1
            }
        }
        try tree.checkInvariants()
        let leaves = tree.branches.reduce(0) { $0 + $1.leaves.count }
        #expect(tree.count * 3 >= leaves * RowLeaf.capacity * 2, "\(tree.count) rows in \(leaves) leaves, seed \(seed)")
    }

    @Test("cursors seek and walk both ways like the model", arguments: Seeds.first(2)) func cursors(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var tree = RowTree()
        var model = RowModel()
        for _ in 0..<9000 {
            let key = random.key(spread: 4000)
            tree.set(key, key)
            model.rows[key] = .some(key)
        }
        let rows = model.sorted
        var failing: [[UInt8]] = []
        for _ in 0..<400 {
            let bound = random.key(spread: 4000)
            var cursor = RowTreeCursor(tree)
            bound.withUnsafeBytes { cursor.seek($0) }
            let above = rows.first { !$0.key.lexicographicallyPrecedes(bound) }
            if (cursor.isValid ? Array(cursor.key) : nil) != above?.key { failing.append(bound) }
            bound.withUnsafeBytes { cursor.seekBackwards(before: $0) }
            let below = rows.last { $0.key.lexicographicallyPrecedes(bound) }
            if (cursor.isValid ? Array(cursor.key) : nil) != below?.key { failing.append(bound) }
        }
        #expect(failing == [], "seed \(seed)")
        var cursor = RowTreeCursor(tree)
        cursor.seekBackwards(before: nil)
        #expect(cursor.rest { $0.retreat() } == rows.reversed())
    }

    @Test func `an empty tree has no rows`() throws {
        try RowTree().checkInvariants()
        var cursor = RowTreeCursor(RowTree())
        cursor.seek(nil)
        #expect(!cursor.isValid)
        cursor.seekBackwards(before: nil)
        #expect(!cursor.isValid)
    }

    @Test func `a row's value may grow, shrink, go and come back`() throws {
        var tree = RowTree()
        for number in 0..<60 { tree.set([UInt8(number)], [UInt8(number)]) }
        for length in [0, 500, 3, 100_000, 0] {
            tree.set([7], [UInt8](repeating: 9, count: length))
            #expect(holds(tree, Row(key: [7], value: [UInt8](repeating: 9, count: length))))
            tree.set([7], nil)
            #expect(holds(tree, Row(key: [7], value: nil)))
            try tree.checkInvariants()
        }
        #expect(tree.count == 60)
        #expect(holds(tree, Row(key: [8], value: [8])))
    }

    private func holds(_ tree: RowTree, _ row: Row) -> Bool {
        row.key.withUnsafeBytes { key in
            switch tree.lookup(key) {
            case .absent: false
            case .deleted: row.value == nil
            case .found(let value): row.value == Array(value)
            }
        }
    }
}
