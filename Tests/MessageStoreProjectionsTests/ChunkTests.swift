import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("I3: rows that lie many to a value")
struct ChunkTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    private static let table = ViewTable.named("timeline")

    /// A table with chunks to which rows are written in several layers, and what it should hold.
    private struct Stored {
        let log: EventLog
        let views: ViewEnvironment
        var model: [[UInt8]: [UInt8]] = [:]
        var position: UInt64 = 0

        init(_ path: String) throws {
            try FileSystem.createDirectory(path + "/log")
            log = try EventLog(path: path + "/log", configuration: .init(access: .create))
            views = try ViewEnvironment.create(
                path: path + "/views", storeID: [UInt8](repeating: 1, count: 16), durability: .none)
        }

        mutating func write(_ changes: [([UInt8], [UInt8]?)]) throws {
            var checkpoint = try views.checkpoint(writtenAt: Position(position))
            var layer = RowLayer(position: Position(position))
            for (key, value) in changes {
                key.withUnsafeBytes { key in
                    guard let value else { return layer.set(table, key, nil) }
                    value.withUnsafeBytes { layer.set(table, key, $0) }
                }
                model[key] = value
            }
            position += 1
            layer.position = Position(position)
            checkpoint.position = layer.position
            try views.write(layer, checkpoint)
        }

        func snapshot() throws -> ViewSnapshot {
            let base: ReadTransaction? = try views.environment.beginRead()
            let found = try StoredRows(in: base, of: views)
            return ViewSnapshot(
                active: RowLayer(position: Position(position)), frozen: nil, base: base, found, tables: views.tables,
                log: try log.snapshot(), .builtIn)
        }

        var statistics: TableStatistics {
            get throws { try views.environment.read { try $0.statistics(of: views.tables[table.index]) } }
        }

        /// Compares every row, from every place, and the digest with the model.
        func check(_ random: inout SplitMix64) throws {
            let written = try views.checkpoint(writtenAt: Position(position))
            let unlike = try views.environment.read { try views.tableUnlike(written, among: [table], in: $0) }
            #expect(unlike == nil)
            let sum = model.reduce(0 as UInt64) { sum, row in
                sum &+ Digest.row(UInt64(table.number), row.key.span.bytes, row.value.span.bytes)
            }
            #expect(written.digests(in: .builtIn)[table.index] == sum)
            let snapshot = try snapshot()
            let sorted = model.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            let all: [[UInt8]] = sorted.map { $0.key + $0.value }
            #expect(try rows(snapshot.rows(table)) == all)
            #expect(try rows(snapshot.rowsBackwards(table)) == all.reversed())
            for _ in 0..<30 {
                let bound = random.below(2) == 0 ? key(&random) : sorted.randomElement(using: &random)?.key ?? [1]
                let place = sorted.firstIndex { !$0.key.lexicographicallyPrecedes(bound) } ?? sorted.count
                let up = try rows(snapshot.rows(table, from: bound.span.bytes), limit: 60)
                let down = try rows(snapshot.rowsBackwards(table, before: bound.span.bytes), limit: 60)
                let above: [[UInt8]] = Array(all[place...].prefix(60))
                let below: [[UInt8]] = all[..<place].suffix(60).reversed()
                #expect(up == above)
                #expect(down == below)
                let found = try snapshot.row(table, bound.span.bytes)?.copied
                #expect(found == model[bound])
            }
        }

        /// Walks up and down at once, with look-ups between, whose cursors the snapshot keeps.
        func checkSharing(_ random: inout SplitMix64) throws {
            let snapshot = try snapshot()
            let sorted = model.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            for _ in 0..<5 {
                let place = random.below(sorted.count)
                let bound = sorted[place].key
                var up = try snapshot.rows(table, from: bound.span.bytes)
                var down = try snapshot.rowsBackwards(table, before: bound.span.bytes)
                for step in 0..<60 {
                    let (above, below) = (place + step, place - 1 - step)
                    #expect(try up.next() == (above < sorted.count))
                    if above < sorted.count { #expect(up.key.copied == sorted[above].key) }
                    let near = sorted[min(max(place + random.below(9) - 4, 0), sorted.count - 1)]
                    #expect(try snapshot.row(table, near.key.span.bytes)?.copied == near.value)
                    #expect(try down.next() == (below >= 0))
                    if below >= 0 { #expect(down.key.copied == sorted[below].key) }
                    if above >= sorted.count || below < 0 { break }
                    #expect(up.value.copied == sorted[above].value)
                    #expect(down.value.copied == sorted[below].value)
                }
            }
        }

        private func rows(_ cursor: consuming RowCursor, limit: Int = .max) throws -> [[UInt8]] {
            var cursor = cursor
            var rows: [[UInt8]] = []
            while rows.count < limit, try cursor.next() { rows.append(cursor.key.copied + cursor.value.copied) }
            return rows
        }
    }

    /// A place in one of some conversations, near others or not, with ids of several lengths.
    private static func key(_ random: inout SplitMix64) -> [UInt8] {
        let conversation = random.below(3) == 0 ? random.below(40) : random.below(3)
        let time = 1_700_000_000_000 + UInt64(random.below(5_000)) * (random.below(4) == 0 ? 1 : 100_000)
        let id =
            random.below(8) == 0 ? random.bytes(random.below(60)) : Array("65a1f0\(10_000 + random.below(90_000))".utf8)
        return UInt32(conversation).bigEndianBytes + time.bigEndianBytes[2...] + id
    }

    private static func ascendingKey(conversation: Int, _ index: Int) -> [UInt8] {
        let time = 1_700_000_000_000 + UInt64(index) * 700
        return UInt32(conversation).bigEndianBytes + time.bigEndianBytes[2...] + Array("65a1f0\(10_000 + index)".utf8)
    }

    @Test(
        "rows that are added, changed and deleted in any order are found from every place",
        arguments: Seeds.first(5))
    func model(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var stored = try Stored(path)
        for _ in 0..<12 {
            let known = Array(stored.model.keys).sorted { $0.lexicographicallyPrecedes($1) }
            let changes = (0..<random.below(700)).map { _ -> ([UInt8], [UInt8]?) in
                let key =
                    known.isEmpty || random.below(3) > 0
                    ? Self.key(&random) : known[random.below(known.count)]
                if random.below(4) == 0 { return (key, nil) }
                return (key, random.bytes(random.below(50) == 0 ? random.below(3_000) : 13))
            }
            try stored.write(changes)
            try stored.check(&random)
        }
        try stored.write(stored.model.keys.map { ($0, nil) })
        try stored.check(&random)
        #expect(try stored.statistics.entries == 0)
    }

    @Test("walks of one snapshot and look-ups between them do not disturb each other", arguments: [1, 2] as [UInt64])
    func sharing(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var stored = try Stored(path)
        try stored.write((0..<3_000).map { _ in (Self.key(&random), random.bytes(13)) })
        try stored.checkSharing(&random)
    }

    @Test("look-ups near one another read their chunk once")
    func keptChunk() throws {
        var stored = try Stored(path)
        let rows = (0..<200).map { Self.ascendingKey(conversation: 7, $0) }
        try stored.write(rows.map { ($0, [UInt8](repeating: 3, count: 13)) })
        let snapshot = try stored.snapshot()
        let first = try snapshot.chunkCursor(Self.table)
        for key in rows { #expect(try snapshot.hasRow(Self.table, key.span.bytes)) }
        #expect(try snapshot.chunkCursor(Self.table) === first)
        do {
            var cursor = try snapshot.rows(Self.table)
            #expect(try cursor.next())
            #expect(try snapshot.chunkCursor(Self.table) !== first)
        }
        // The walk has ended, and gives it back.
        let entries = try stored.statistics.entries
        let read = first?.readChunks ?? 0
        for key in rows.reversed() { #expect(try snapshot.hasRow(Self.table, key.span.bytes)) }
        #expect((first?.readChunks ?? 0) - read <= entries)
    }

    @Test(
        "chunks stay well filled, in whatever order rows come",
        arguments: ["ascending", "descending", "anywhere", "by conversation"])
    func fill(order: String) throws {
        var random = SplitMix64(seed: 9)
        var stored = try Stored(path)
        let rows = (0..<TestSize.of(plain: 3_000, full: 8_000)).map {
            Self.ascendingKey(conversation: order == "by conversation" ? $0 % 20 : 7, $0)
        }
        let written =
            switch order {
            case "descending": Array(rows.reversed())
            case "anywhere": rows.shuffled(using: &random)
            default: rows
            }
        for start in stride(from: 0, to: written.count, by: 100) {
            try stored.write(written[start..<start + 100].map { ($0, [UInt8](repeating: 3, count: 13)) })
        }
        try stored.check(&random)
        // A row takes 34 bytes by itself, and two thirds of those where its key differs little.
        let perRow = Double(try stored.statistics.bytes) / Double(rows.count)
        #expect(perRow < (order == "anywhere" || order == "descending" ? 65 : 45), "\(perRow) bytes a row")
    }

    @Test("rows that change or go leave chunks whole, wherever they are")
    func change() throws {
        var random = SplitMix64(seed: 4)
        var stored = try Stored(path)
        let rows = (0..<8_000).map { Self.ascendingKey(conversation: 7, $0) }
        try stored.write(rows.map { ($0, [UInt8](repeating: 3, count: 13)) })
        let before = try stored.statistics
        for start in 0..<4 {
            let some = stride(from: start * 6, to: rows.count, by: 25)
            try stored.write(some.map { (rows[$0], start == 3 ? nil : [UInt8](repeating: 4, count: 13)) })
        }
        try stored.check(&random)
        #expect(try stored.statistics.entries == before.entries)
    }

    @Test("I10: keys of chunks that damage put out of order fail a write by name, which ends")
    func unorderedChunks() throws {
        var stored = try Stored(path)
        try stored.write([([0, 0, 0, 1, 5], [1])])
        let chunks = stored.views.tables[Self.table.index]
        try stored.views.environment.write { transaction in
            // A row below the key of its chunk.
            let (key, bytes) = ([0, 0, 0, 2] as [UInt8], [1, 4, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1] as [UInt8])
            try transaction.put(bytes.span.bytes, for: key.span.bytes, in: chunks)
        }
        let error = #expect(throws: StoreError.self) { try stored.write([([0, 0, 0, 2, 7], [2])]) }
        #expect(error?.code == .viewsDamaged)
    }

    @Test("I10: a chunk of which bytes are changed or missing is rows or an error", arguments: [1, 2] as [UInt64])
    func damaged(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var writer = ChunkWriter()
        writer.begin()
        for key in (0..<20).map({ _ in Self.key(&random) }).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let value = random.bytes(13)
            key.withUnsafeBytes { key in value.withUnsafeBytes { writer.append(key, $0) } }
        }
        let chunk = writer.chunk.copied
        var rows = ChunkRows()
        #expect(chunk.withUnsafeBytes { rows.read($0, from: UnsafeRawBufferPointer(start: nil, count: 0)) })
        #expect(rows.count == 20)
        for _ in 0..<20_000 {
            var changed = chunk
            for _ in 0...random.below(3) { changed[random.below(changed.count)] = UInt8(random.below(256)) }
            if random.below(3) == 0 { changed.removeLast(random.below(changed.count)) }
            changed.withUnsafeBytes { bytes in
                guard rows.read(bytes, from: UnsafeRawBufferPointer(start: nil, count: 0)) else { return }
                #expect(rows.count <= bytes.count)
                for index in 0..<rows.count { #expect(rows.key(at: index).count <= ChunkReader.longestKey) }
            }
        }
    }

    @Test("I10: a chunk that cannot be read fails every read and write of its rows by name")
    func unreadable() throws {
        var stored = try Stored(path)
        let key: [UInt8] = [0, 0, 0, 1, 9, 9]
        try stored.write([(key, [1])])
        let chunks = stored.views.tables[Self.table.index]
        try stored.views.environment.write { transaction in
            let bytes: [UInt8] = [1, 6, 0, 1, 0]
            try transaction.put(bytes.span.bytes, for: key.span.bytes, in: chunks)
        }
        let snapshot = try stored.snapshot()
        let point = #expect(throws: StoreError.self) { try snapshot.hasRow(Self.table, key.span.bytes) }
        #expect(point?.code == .viewsDamaged)
        let walk = #expect(throws: StoreError.self) {
            var cursor = try snapshot.rows(Self.table)
            _ = try cursor.next()
        }
        #expect(walk?.code == .viewsDamaged)
        let write = #expect(throws: StoreError.self) { try stored.write([(key, [2])]) }
        #expect(write?.code == .viewsDamaged)
    }
}

extension ViewSnapshot {
    borrowing func hasRow(_ table: ViewTable, _ key: RawSpan) throws -> Bool { try row(table, key) != nil }
}
