import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("I3, I4: identities on disk, in their table and in runs")
struct StoredIdentitiesTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    private static let storeID = [UInt8](repeating: 1, count: 16)

    /// Views into which layers of identities are written, and what they should hold.
    private struct Stored {
        let log: EventLog
        let views: ViewEnvironment
        var model: [IdentityKey: UInt64] = [:]
        var position: UInt64 = 0

        init(_ path: String) throws {
            try FileSystem.createDirectory(path + "/log")
            log = try EventLog(path: path + "/log", configuration: .init(access: .create))
            views = try ViewEnvironment.create(path: path + "/views", storeID: storeID, durability: .none)
        }

        mutating func write(_ keys: [IdentityKey], pages: Int) throws {
            var checkpoint = try views.checkpoint(writtenAt: Position(position))
            var layer = RowLayer(position: Position(position))
            for key in keys {
                position += 1
                // As the fold does where the filter does not know the key, which it does not always say.
                let isNew = model[key] == nil && !position.isMultiple(of: 3)
                layer.setIdentity(key, Position(position), isNew: isNew)
                model[key] = position
            }
            layer.position = Position(position)
            checkpoint.position = layer.position
            try views.write(layer, of: ProjectionCatalog.builtIn.all, checkpoint, pages: pages)
        }

        func runs() throws -> Int {
            try views.environment.read { try StoredIdentities(in: $0, views.identityRuns).unmoved.count }
        }

        /// Compares every row, each found and all in order, and their digest with the model.
        func check() throws {
            let written = try views.checkpoint(writtenAt: Position(position))
            let unlike = try views.environment.read {
                try views.tableUnlike(written, among: [.identities], in: $0)
            }
            #expect(unlike == nil)
            #expect(
                written.digests(in: .builtIn)[ViewTable.identities.index] == StoredIdentitiesTests.digest(of: model))
            let base: ReadTransaction? = try views.environment.beginRead()
            let found = try StoredRows(in: base, of: views)
            let snapshot = ViewSnapshot(
                active: RowLayer(position: Position(position)), frozen: nil, base: base, found, tables: views.tables,
                log: try log.snapshot(), .builtIn)
            var rows: [[UInt8]] = []
            var cursor = try snapshot.rows(.identities)
            while try cursor.next() { rows.append(cursor.key.copied + cursor.value.copied) }
            let expected = model.map { bytes($0.key) + $0.value.bigEndianBytes }
            #expect(rows == expected.sorted { $0.lexicographicallyPrecedes($1) })
            let lost = try model.filter { key, position in
                try snapshot.row(.identities, bytes(key).span.bytes)?.copied != position.bigEndianBytes
            }
            #expect(lost.isEmpty)
            #expect(try !snapshot.hasRow(.identities, bytes(IdentityKey(high: 1, low: 2)).span.bytes))
        }

        private func bytes(_ key: IdentityKey) -> [UInt8] { key.high.bigEndianBytes + key.low.bigEndianBytes }
    }

    private static func digest(of model: [IdentityKey: UInt64]) -> UInt64 {
        model.reduce(0) { sum, row in
            let (key, value) = (row.key.high.bigEndianBytes + row.key.low.bigEndianBytes, row.value.bigEndianBytes)
            return sum &+ Digest.row(UInt64(ViewTable.identities.number), key.span.bytes, value.span.bytes)
        }
    }

    /// The views with two layers in memory over the environment, of which the frozen one may be missing.
    private static func snapshot(
        of stored: Stored, _ base: consuming ReadTransaction?, _ found: StoredRows, _ active: RowLayer,
        _ frozen: RowLayer?
    ) throws -> ViewSnapshot {
        ViewSnapshot(
            active: active, frozen: frozen, base: base, found, tables: stored.views.tables,
            log: try stored.log.snapshot(), .builtIn)
    }

    @Test("I3: in small parts, all identities have the rows, digests and differences that they have as a whole")
    func parts() throws {
        var random = SplitMix64(seed: 5)
        var stored = try Stored(path)
        for _ in 0..<8 { try stored.write(Self.keys(400, &random, known: []), pages: 1) }
        #expect(try stored.runs() > 1)
        let known = stored.model.keys.sorted { $0.high < $1.high }
        var (frozen, active) = (RowLayer(position: Position(stored.position)), RowLayer(position: .origin))
        for key in Self.keys(700, &random, known: known) { frozen.setIdentity(key, Position(90_000)) }
        for key in Self.keys(700, &random, known: known) { active.setIdentity(key, Position(91_000)) }
        var model = stored.model
        frozen.forEachIdentity { model[$0] = 90_000 }
        active.forEachIdentity { model[$0] = 91_000 }

        let base: ReadTransaction? = try stored.views.environment.beginRead()
        let found = try StoredRows(in: base, of: stored.views)
        let snapshot = try Self.snapshot(of: stored, base, found, active, frozen)
        let base2: ReadTransaction? = try stored.views.environment.beginRead()
        let older = try Self.snapshot(of: stored, base2, found, frozen, nil)

        let expected = model.map { key, position in
            key.high.bigEndianBytes + key.low.bigEndianBytes + position.bigEndianBytes
        }.sorted { $0.lexicographicallyPrecedes($1) }
        for size in [1, 50, 1 << 17] {
            let parts = try TablePart.all(of: .identities, snapshot.unsortedIdentities(), of: size)
            #expect(size > 5000 ? parts.count == 1 : parts.count > 60)
            var rows: [[UInt8]] = []
            for part in parts {
                var cursor = try snapshot.rows(.identities, of: part)
                while try cursor.next(), part.contains(cursor.key) {
                    rows.append(cursor.key.copied + cursor.value.copied)
                }
            }
            #expect(rows == expected)
            #expect(
                try snapshot.bufferedDigestChange(of: .identities, partsOf: size)
                    == Self.digest(of: model) &- Self.digest(of: stored.model))
            var differences: [[UInt8]] = []
            try older.compare(with: snapshot, partsOf: size) { differences.append($0.key) }
            var keys: Set<[UInt8]> = []
            active.forEachIdentity { keys.insert($0.high.bigEndianBytes + $0.low.bigEndianBytes) }
            #expect(differences == keys.sorted { $0.lexicographicallyPrecedes($1) })
        }
    }

    @Test(
        "a part has the keys whose first bytes lie in its range, also keys that are too short", arguments: [0, 3, 1000])
    func bounds(count: Int) throws {
        let parts = TablePart.all(of: .identities, count, of: 1)
        #expect(parts.count == count + 1)
        for (part, next) in zip(parts, parts.dropFirst()) {
            let (range, following) = (try #require(part.range), try #require(next.range))
            #expect(range.upperBound + 1 == following.lowerBound)
        }
        #expect(parts.first?.range?.lowerBound == 0 && parts.last?.range?.upperBound == .max)
        let keys: [[UInt8]] = [
            [], [0], [0xFF], [0x40, 0], [UInt8](repeating: 0xFF, count: 12),
            [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        ]
        for key in keys { #expect(parts.count { $0.contains(key.span.bytes) } == 1) }
        #expect(TablePart.all(of: ConversationList.order.viewTable, count).map(\.range) == [nil])
    }

    /// Keys of which some share their first half, lie at the ends, or came before.
    private static func keys(_ count: Int, _ random: inout SplitMix64, known: [IdentityKey]) -> [IdentityKey] {
        (0..<count).map { _ in
            switch random.below(20) {
            case 0: IdentityKey(high: .max, low: UInt32.max - UInt32(random.below(50)))
            case 1: IdentityKey(high: 0, low: UInt32(random.below(50)))
            case 2: IdentityKey(high: 1 << 63, low: UInt32(random.below(400)))
            case 3 where !known.isEmpty: known[random.below(known.count)]
            default: IdentityKey(high: random.next(), low: 7)
            }
        }
    }

    @Test(
        "each identity is found with its latest position and counted once, wherever the hand is",
        arguments: Seeds.first(1), [1, 3, 4096])
    func model(seed: UInt64, pages: Int) throws {
        var random = SplitMix64(seed: seed)
        var stored = try Stored(path)
        var most = 0
        for round in 0..<TestSize.of(plain: 20, full: 50) {
            let count = random.below(4) == 0 ? random.below(3) + 1 : random.below(500) + 1
            let keys = Self.keys(count, &random, known: stored.model.keys.sorted { $0.high < $1.high })
            // Now and then all fit the table.
            try stored.write(keys, pages: round.isMultiple(of: 7) ? 4096 : pages)
            most = max(most, try stored.runs())
            if round.isMultiple(of: 5) { try stored.check() }
        }
        try stored.check()
        #expect(pages == 4096 ? most == 0 : most > 1)
        #expect(most <= Int(StoredIdentities.mostRuns(pages: 0)))
        // Flushes that write no run let the hand go on.
        for _ in 0..<Int(StoredIdentities.mostRuns(pages: 0)) {
            try stored.write([IdentityKey(high: 5, low: 5)], pages: 4096)
        }
        #expect(try stored.runs() == 0)
        try stored.check()
    }

    @Test("a large table is changed on few pages by a flush, and each page takes many identities") func fewPages()
        throws
    {
        var random = SplitMix64(seed: 3)
        var stored = try Stored(path)
        func keys(_ count: Int) -> [IdentityKey] {
            (0..<count).map { _ in IdentityKey(high: random.next(), low: 0) }
        }
        try stored.write(keys(60_000), pages: .max)
        let table = stored.views.tables[ViewTable.identities.index]
        let before = try stored.views.environment.read { try $0.statistics(of: table) }
        try stored.write(keys(3_000), pages: 64)
        let after = try stored.views.environment.read { try $0.statistics(of: table) }
        // A sixteenth of the keys.
        #expect((100...300).contains(after.entries - before.entries), "\(after.entries - before.entries) were moved")
        #expect(try stored.runs() == 1)
        try stored.check()
    }

    @Test("a hand that stood still catches up", arguments: [(0, 16), (60_000, 29), (1 << 20, 128)])
    func catchesUp(pages: Int, runs: Int) throws {
        var random = SplitMix64(seed: 4)
        let stored = try Stored(path)
        var identities = try stored.views.environment.read {
            try StoredIdentities(in: $0, stored.views.identityRuns)
        }
        identities.hand = .init(round: 3, key: random.next())
        let start = StoredIdentities.Place(round: 2, key: identities.hand.key | 1 << 63)
        for number in 1...200 as ClosedRange<UInt64> {
            identities.unmoved.append(.init(number: number, start: start))
        }
        let target = identities.target(pages: pages)
        #expect(target >= .init(round: 3, key: start.key))
        identities.hand = target
        let left = identities.unmoved.filter { !identities.hasMovedAll(from: $0) }
        #expect(left.count <= runs)
        // Of one run alone it goes on by its part of a round, however large the table is.
        identities.unmoved = [.init(number: 1, start: target)]
        let next = identities.target(pages: pages)
        #expect(next == target.advanced(by: .max / UInt64(runs) + 1))
    }

    @Test("I10: damaged runs are errors, never wrong answers", arguments: 0..<7)
    func damage(kind: Int) throws {
        var random = SplitMix64(seed: 5)
        var stored = try Stored(path)
        try stored.write((0..<5_000).map { _ in IdentityKey(high: random.next(), low: 0) }, pages: .max)
        try stored.write((0..<500).map { _ in IdentityKey(high: random.next(), low: 0) }, pages: 1)
        let number = stored.position
        let views = stored.views
        try views.environment.write { transaction in
            var cursor = try transaction.cursor(in: views.identityRuns)
            #expect(try cursor.seek((number.bigEndianBytes + [0x80]).span.bytes))
            let (chunk, value) = (cursor.key.copied, cursor.storedValue.copied)
            let bad: (key: [UInt8], value: [UInt8]) =
                switch kind {
                case 0: (UInt64(0).bigEndianBytes, [1, 2, 3])
                case 1: (number.bigEndianBytes, [])
                case 2: (chunk, value.dropLast())
                case 3: (chunk, value.map { $0 ^ 1 })
                case 5: (UInt64(0).bigEndianBytes, [UInt8](repeating: 0xFF, count: 16))
                case 6: (number.bigEndianBytes, [UInt8](repeating: 0xFF, count: 16))
                default: (chunk, value[0..<19] + [value[19] ^ 1] + value[20...])
                }
            try transaction.put(bad.value.span.bytes, for: bad.key.span.bytes, in: views.identityRuns)
        }
        let written = try views.checkpoint(writtenAt: Position(number))
        let unlike = Result {
            try views.environment.read { try views.tableUnlike(written, among: [.identities], in: $0) }
        }
        switch unlike {
        case .success(let table): #expect(kind == 4 && table == "identities")
        case .failure(let error): #expect(kind != 4 && StoreError.isViewDamage(error), "\(error)")
        }
    }
}
