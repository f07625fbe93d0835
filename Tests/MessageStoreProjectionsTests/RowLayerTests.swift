@_spi(Storage) import MessageStoreLog
import Testing

@testable import MessageStoreProjections

@Suite("A layer of the write buffer", .timeLimit(.minutes(30)))
struct RowLayerTests {
    @Test("the bytes of the rows are counted exactly, snapshots or none", arguments: [1, 2, 3] as [UInt64])
    func byteCount(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var layer = RowLayer(position: .origin)
        var snapshots: [RowLayer] = []
        for step in 0..<6_000 {
            let table = random.below(2) == 0 ? ViewTable.named("timeline") : .named("profiles")
            layer.set(table, random.key(spread: 900), random.below(5) == 0 ? nil : random.bytes(random.below(200)))
            layer.setIdentity(IdentityKey(high: random.next(), low: 1), Position(UInt64(step)))
            // A copy makes the next change of each leaf copy that leaf.
            if step % 500 == 0 { snapshots.append(layer) }
            if step % 600 == 0 { try layer.checkInvariants() }
        }
        try layer.checkInvariants()
        for snapshot in snapshots { try snapshot.checkInvariants() }
    }

    #if DEBUG
    @Test func `rows in a wrong order, or with a wrong prefix, stop a debug build`() async {
        await #expect(processExitsWith: .failure) {
            let leaf = RowLeaf()
            leaf.insert([2], prefixOf: [2], at: 0)
            leaf.insert([3], prefixOf: [3], at: 0)
        }
        await #expect(processExitsWith: .failure) {
            RowLeaf().insert([2], prefixOf: [3], at: 0)
        }
    }
    #endif

    @Test func `a full leaf takes no row, and beyond its rows there is none`() async {
        await #expect(processExitsWith: .failure) {
            let leaf = RowLeaf()
            for number in 0...UInt8(RowLeaf.capacity) { leaf.insert([number], prefixOf: [number], at: leaf.count) }
        }
        await #expect(processExitsWith: .failure) {
            _ = RowLeaf().key(at: 0)
        }
        await #expect(processExitsWith: .failure) {
            RowLeaf().update(at: 0, value: nil)
        }
        await #expect(processExitsWith: .failure) {
            RowLeaf().truncate(to: 1)
        }
    }

    @Test func `a full run takes no identity`() async {
        await #expect(processExitsWith: .failure) {
            let run = IdentityRun(capacity: 1)
            for number in 0...1 as ClosedRange<UInt32> {
                let entry = IdentityRun.Entry(high: 0, low: number, position: 1)
                run.append(entry)
            }
        }
    }

    @Test func `a cursor before the first row has no key`() async {
        await #expect(processExitsWith: .failure) {
            var tree = RowTree()
            tree.set([1], [1])
            var cursor = RowTreeCursor(tree)
            cursor.seek(nil)
            cursor.retreat()
            _ = cursor.key
        }
    }

    @Test func `identities cannot be set as rows, which would lose them`() async {
        await #expect(processExitsWith: .failure) {
            var layer = RowLayer(position: .origin)
            layer.set(.identities, [1], [1])
        }
    }
}

extension RowLayer {
    fileprivate mutating func set(_ table: ViewTable, _ key: [UInt8], _ value: [UInt8]?) {
        key.withUnsafeBytes { key in
            guard let value else { return set(table, key, nil) }
            value.withUnsafeBytes { set(table, key, $0) }
        }
    }
}

extension RowLeaf {
    fileprivate func insert(_ key: [UInt8], prefixOf other: [UInt8], at index: Int) {
        let prefix = other.withUnsafeBytes { ByteOrder.prefix(of: $0) }
        key.withUnsafeBytes { insert(prefix: prefix, key: $0, value: nil, at: index) }
    }
}
