import Foundation
import MessageStoreLMDB
@_spi(Storage) import MessageStoreLog
import Testing

@testable import MessageStoreProjections

@Suite("Identities in the write buffer")
struct IdentityRunsTests {
    @Test(
        "every key has its latest position, found and in order, whatever gathered, merged and went into files",
        arguments: Seeds.first(2), [UInt64.max, 1, 700])
    func model(seed: UInt64, spillInterval: UInt64) throws {
        let directory = FileManager.default.temporaryDirectory.path + "/runs-\(UUID().uuidString)"
        try FileSystem.createDirectory(directory)
        defer { try? FileSystem.remove(directory) }
        var random = SplitMix64(seed: seed)
        var runs = IdentityRuns()
        var model: [IdentityKey: UInt64] = [:]
        var before: (runs: IdentityRuns, model: [IdentityKey: UInt64])?
        for position in 1...UInt64(4000) {
            // Few different keys, many of which share their first half: repeats and ties in every run.
            let key = IdentityKey(high: random.next() % 700, low: UInt32(random.next() % 3))
            runs.set(key, position)
            model[key] = position
            if position == 2300 { before = (runs, model) }
            if position % spillInterval == 0 { runs = try runs.spilled(in: directory) }
            if position % 250 == 0 { try runs.checkInvariants() }
        }
        Self.expectEqual(runs, model)
        if let before { Self.expectEqual(before.runs, before.model) }
        #expect(try FileSystem.names(in: directory).isEmpty)
        #expect(runs.lookup(IdentityKey(high: 9999, low: 0)) == nil)
    }

    @Test("identities of parts that are joined have their latest positions")
    func joined() throws {
        var random = SplitMix64(seed: 11)
        var parts = [IdentityRuns(), IdentityRuns()]
        var keys: [[IdentityKey]] = [[], []]
        var model: [IdentityKey: UInt64] = [:]
        // Each part makes runs of the greatest length.
        for position in 1...TestSize.of(plain: UInt64(140_000), full: 320_000) {
            let part = Int(position % 2)
            var key = IdentityKey(high: random.next(), low: UInt32(part))
            // Some are claimed again, soon after.
            if random.next() % 20 == 0 { key = keys[part].suffix(4000).randomElement(using: &random) ?? key }
            parts[part].set(key, position)
            keys[part].append(key)
            model[key] = position
        }
        let joined = IdentityRuns(joining: parts)
        try joined.checkInvariants()
        Self.expectEqual(joined, model)
    }

    @Test("many identities make few runs, however they come", arguments: [false, true])
    func manyRuns(isAscending: Bool) throws {
        var random = SplitMix64(seed: 9)
        var runs = IdentityRuns()
        for position in 1...UInt64(150_000) {
            runs.set(IdentityKey(high: isAscending ? position : random.next(), low: 0), position)
            if position % 50_000 == 0 { try runs.checkInvariants() }
        }
        try runs.checkInvariants()
        let tree = Self.tree(of: runs)
        try tree.checkInvariants()
        #expect(tree.count == 150_000)
    }

    private static func tree(of runs: IdentityRuns, _ ranges: [ClosedRange<UInt64>] = [0 ... .max]) -> RowTree {
        var tree = RowTree()
        for range in ranges { runs.add(range, to: &tree) }
        return tree
    }

    @Test("of a range, the rows whose keys begin with its numbers, the ends included", arguments: [10, 600, 5000])
    func ranges(_ count: Int) {
        var random = SplitMix64(seed: UInt64(count))
        var runs = IdentityRuns()
        for position in 1...UInt64(count) {
            runs.set(IdentityKey(high: UInt64(random.below(1000)), low: UInt32(random.below(3))), position)
        }
        let all = runs.sorted()
        for range in [0...0, 3...3, 0...499, 500...999, 998 ... .max, 1000 ... .max, 0 ... .max]
            as [ClosedRange<UInt64>]
        {
            let expected = (0..<all.count).map { all[$0] }.filter { range.contains($0.high) }
            let found = runs.sorted(range)
            #expect((0..<found.count).map { found[$0].key } == expected.map(\.key))
            #expect((0..<found.count).map { found[$0].position } == expected.map(\.position))
            #expect(Self.tree(of: runs, [range]).count == expected.count)
        }
        #expect(Self.tree(of: runs, [0...499, 500 ... .max]).rows == Self.tree(of: runs).rows)
    }

    private static func expectEqual(_ runs: IdentityRuns, _ model: [IdentityKey: UInt64]) {
        let lost = model.filter { key, position in
            runs.lookup(key)?.loadUnaligned(as: UInt64.self).byteSwapped != position
        }
        #expect(lost.isEmpty)
        var cursor = RowTreeCursor(tree(of: runs))
        var rows: [[UInt8]] = []
        cursor.seek(nil)
        while cursor.isValid {
            rows.append(Array(cursor.key))
            cursor.advance()
        }
        let expected = model.keys.map { key in
            withUnsafeBytes(of: key.high.bigEndian, Array.init) + withUnsafeBytes(of: key.low.bigEndian, Array.init)
        }
        #expect(rows == expected.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test("no rows, no tree") func empty() {
        #expect(Self.tree(of: IdentityRuns()).isEmpty)
        #expect(IdentityRuns().lookup(IdentityKey(high: 0, low: 0)) == nil)
    }
}
