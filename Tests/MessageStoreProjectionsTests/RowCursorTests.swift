import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("Merged rows") struct RowCursorTests {
    @Test(
        "I7: active over frozen over stored rows, both ways, like the model", arguments: ["profiles", "timeline"],
        Seeds.first(3))
    func merged(name: String, seed: UInt64) throws {
        let table = ViewTable.named(name)
        try withTemporaryDirectory { path in
            try FileSystem.createDirectory(path + "/log")
            let log = try EventLog(path: path + "/log", configuration: .init(access: .create))
            let stored = try ViewEnvironment.create(
                path: path + "/views", storeID: [UInt8](repeating: 1, count: 16), durability: .none)
            var random = SplitMix64(seed: seed)
            var merged: [[UInt8]: [UInt8]] = [:]
            let base = layer(table, &random, &merged)
            try stored.write(base, Checkpoint(storeID: [UInt8](repeating: 1, count: 16), .builtIn))
            let frozen = layer(table, &random, &merged)
            let active = layer(table, &random, &merged)
            let transaction: ReadTransaction? = try stored.environment.beginRead()
            let found = try StoredRows(in: transaction, of: stored)
            let views = ViewSnapshot(
                active: active, frozen: frozen, base: transaction, found, tables: stored.tables,
                log: try log.snapshot(), .builtIn)
            let keys = merged.keys.sorted { $0.lexicographicallyPrecedes($1) }
            for _ in 0..<40 {
                let bound = random.key(spread: 300)
                let above = keys.filter { !$0.lexicographicallyPrecedes(bound) }
                let below = keys.filter { $0.lexicographicallyPrecedes(bound) }.reversed()
                let up = try collect(views.rows(table, from: bound.span.bytes))
                let down = try collect(views.rowsBackwards(table, before: bound.span.bytes))
                #expect(up == above.map { Row(key: $0, value: merged[$0]) }, "seed \(seed)")
                #expect(down == below.map { Row(key: $0, value: merged[$0]) }, "seed \(seed)")
                let found = try views.row(table, bound.span.bytes)?.copied
                #expect(found == merged[bound], "seed \(seed)")
            }
            let up = try collect(views.rows(table))
            let down = try collect(views.rowsBackwards(table))
            #expect(up.map(\.key) == keys)
            #expect(down.map(\.key) == keys.reversed())
            // The digest of what is stored and buffered is that of the merged rows, in whatever order they came (I3).
            let digest = keys.shuffled(using: &random).reduce(0 as UInt64) { sum, key in
                let value = merged[key] ?? []
                return sum &+ Digest.row(UInt64(table.number), key.span.bytes, value.span.bytes)
            }
            let kept = try views.storedCheckpoint()?.digests(in: .builtIn)[table.index] ?? 0
            let change = try views.bufferedDigestChange(of: table)
            let sum: UInt64 = kept &+ change
            #expect(sum == digest, "seed \(seed)")
        }
    }

    private func layer(_ table: ViewTable, _ random: inout SplitMix64, _ merged: inout [[UInt8]: [UInt8]]) -> RowLayer {
        var layer = RowLayer(position: .origin)
        for _ in 0..<600 {
            let key = random.key(spread: 300)
            let value = random.below(4) == 0 ? nil : random.bytes(random.below(20))
            key.withUnsafeBytes { key in
                guard let value else { return layer.set(table, key, nil) }
                value.withUnsafeBytes { layer.set(table, key, $0) }
            }
            merged[key] = value
        }
        return layer
    }

    private func collect(_ cursor: consuming RowCursor) throws -> [Row] {
        var cursor = cursor
        var rows: [Row] = []
        while try cursor.next() { rows.append(Row(key: cursor.key.copied, value: cursor.value.copied)) }
        return rows
    }
}
