import Foundation
import MessageStore
import Testing

@testable import MessageStoreTestSupport

@Suite(
    "Sealed logs with bytes of others, moved bytes and changed bits", .enabled(if: TemporaryStore.canSeal), .serialized,
    .timeLimit(.minutes(30)))
struct SealedSwapTests {
    private let twins: SealedTwins

    init() throws { twins = try SealedTwins() }

    /// Some places of a table: all in full size.
    private static func places(_ count: Int, _ random: inout SplitMix64, plain: Int) -> [Int] {
        Array((0..<count).shuffled(using: &random).prefix(TestSize.of(plain: plain, full: count)))
    }

    /// The events by their positions.
    private static var expected: [UInt64: AnyHashable] {
        Dictionary(
            uniqueKeysWithValues: TwinEvents.all.enumerated().map { (UInt64($0 + 1), AnyHashable($1.payload)) })
    }

    /// The changes of values with a checksum, and whether it is made right again.
    private static let changes: [(RowChange, Bool)] = [(.other, false), (.moved, false), (.bit, false), (.bit, true)]

    /// All events of a store that can be read, and the errors of the others.
    private static func read(_ store: MessageStore) throws -> (events: [UInt64: AnyHashable], damage: [StoreError]) {
        var (events, damage): ([UInt64: AnyHashable], [StoreError]) = ([:], [])
        try store.forEachEvent(onDamage: { damage.append($0) }) { event in
            events[event.position.rawValue] = AnyHashable(event.event.payload)
            return true
        }
        return (events, damage)
    }

    /// Expects that all events are there but for some, and that nothing else is.
    private static func expectOthers(_ events: [UInt64: AnyHashable], but damage: [StoreError], _ what: Comment) {
        let positions = Set(damage.compactMap { $0.position?.rawValue })
        let others = expected.filter { !positions.contains($0.key) }
        #expect(events == others, what)
    }

    @Test("a record of the other store, of another position or with a changed bit is refused at its position alone")
    func records() throws {
        let rows = try twins.rows("log", "records")
        #expect(rows.own.count == Self.expected.count && rows.other.count == rows.own.count)
        var random = SplitMix64(seed: 1)
        for index in Self.places(rows.own.count, &random, plain: 8) {
            for (change, isForged) in Self.changes {
                guard var row = change.row(at: index, of: rows, &random) else { continue }
                if isForged { row = row.withChecksumOfRecord }
                try twins.put(row, in: rows)
                // Damage by accident leaves a checksum as it is.
                let code: StoreError.Code = change == .bit && !isForged ? .recordDamaged : .logForged
                try expectDamage(at: UInt64(index + 1), code, "\(change) \(isForged), record \(index + 1)")
                try twins.put(rows.own[index], in: rows)
            }
        }
        let store = try twins.openReadOnly()
        #expect(try Self.read(store).damage.isEmpty)
        try store.close()
    }

    private func expectDamage(at position: UInt64, _ code: StoreError.Code, _ what: Comment) throws {
        let store = try twins.openReadOnly()
        let (events, damage) = try Self.read(store)
        let isNamed = damage.map(\.code) == [code] && damage.map(\.position) == [Position(position)]
        #expect(isNamed, what)
        Self.expectOthers(events, but: damage, what)
        let error = #expect(throws: StoreError.self, what) { try store.events(limit: .max) }
        let isRefused = error?.code == code && error?.position == Position(position)
        #expect(isRefused, what)
        for question in TwinQuestion.all {
            do {
                let isRight = try question.isAnswered(by: store)
                #expect(isRight, "\(what): \(question.name)")
            } catch let error as StoreError {
                let isOfRecord = error.code == code && error.position == Position(position)
                #expect(isOfRecord, "\(what): \(question.name)")
            }
        }
        try store.close()
    }

    @Test("a name that is exchanged, moved or changed by a bit is damage, and events that do not need it are there")
    func names() throws {
        let rows = try twins.rows("log", "symbolNames")
        #expect(rows.own.map(\.key) == rows.other.map(\.key))
        var random = SplitMix64(seed: 2)
        let changes = Self.changes
        for (place, index) in Self.places(rows.own.count, &random, plain: rows.own.count).enumerated() {
            // Each name by one change, or by all in full size.
            let some = TestSize.of(plain: [changes[place % changes.count]], full: changes)
            for (change, isForged) in some {
                guard var row = change.row(at: index, of: rows, &random) else { continue }
                if isForged { row = row.withChecksumOfName }
                try twins.put(row, in: rows)
                try expectDamagedName("\(change) \(isForged), name \(rows.own[index].key)")
                try twins.put(rows.own[index], in: rows)
            }
        }
    }

    private func expectDamagedName(_ what: Comment) throws {
        let codes = Set(try twins.check().findings.map(\.code))
        let isFound = !codes.isEmpty && codes.isSubset(of: [.logDamaged, .recordDamaged])
        #expect(isFound, what)
        let store: MessageStore
        do { store = try twins.openReadOnly() } catch let error as StoreError {
            // The account, or the store's id.
            #expect(error.code == .logDamaged, what)
            return
        }
        let (events, damage) = try Self.read(store)
        let isNamed = !damage.isEmpty && damage.allSatisfy { $0.code == .logDamaged }
        #expect(isNamed, what)
        Self.expectOthers(events, but: damage, what)
        try store.close()
    }

    /// The changes of rows whose keys are hidden: the whole row of the other store, with its key, is one more.
    private func change(
        _ rows: SealedTwins.Rows, at index: Int, _ change: RowChange?, _ random: inout SplitMix64
    ) throws -> Bool {
        if let change {
            guard let row = change.row(at: index, of: rows, &random) else { return false }
            try twins.put(row, in: rows)
        } else {
            try twins.remove(rows.own[index], from: rows)
            try twins.put(rows.other[index], in: rows)
        }
        return true
    }

    private static let hiddenChanges: [RowChange?] = RowChange.allCases + [nil]

    @Test("a number that is exchanged, moved or changed is damage, and its string gets no other number")
    func numbers() throws {
        let rows = try twins.rows("log", "symbolNumbers")
        var random = SplitMix64(seed: 3)
        for (place, index) in Self.places(rows.own.count, &random, plain: 8).enumerated() {
            let changes = TestSize.of(plain: [Self.hiddenChanges[place % 4]], full: Self.hiddenChanges)
            for change in changes where try self.change(rows, at: index, change, &random) {
                let what: Comment = "\(String(describing: change)), number \(index)"
                let codes = Set(try twins.check().findings.map(\.code))
                #expect(codes == [.logDamaged], what)
                let reader = try twins.openReadOnly()
                let (events, damage) = try Self.read(reader)
                try reader.close()
                #expect(damage.isEmpty && events == Self.expected, what)
                try expectNoOtherNumber(what)
                try twins.reset()
            }
        }
    }

    /// Names every conversation and user once more: at least one cannot be recorded, and the others have their numbers.
    private func expectNoOtherNumber(_ what: Comment) throws {
        let store: MessageStore
        do { store = try twins.open() } catch let error as StoreError {
            #expect(error.code == .logDamaged, what)
            return
        }
        var (codes, recorded): (Set<StoreError.Code>, [Event]) = ([], [])
        for event in TwinEvents.naming {
            do {
                try store.record(event)
                recorded.append(event)
            } catch let error as StoreError { codes.insert(error.code) }
        }
        #expect(codes == [.logDamaged], what)
        let (events, damage) = try Self.read(store)
        let new = events.filter { $0.key > UInt64(TwinEvents.all.count) }
        let payloads = Set(recorded.map { AnyHashable($0.payload) })
        let isSame = damage.isEmpty && new.count == recorded.count && Set(new.values) == payloads
        #expect(isSame, what)
        try store.close()
    }

    @Test("a subscriber's position that is exchanged, moved or changed is damage to a writer, and readers have all")
    func subscriptions() throws {
        let rows = try twins.rows("log", "subscriptions")
        #expect(rows.own.count == 3)
        var random = SplitMix64(seed: 4)
        for index in rows.own.indices {
            for change in Self.hiddenChanges where try self.change(rows, at: index, change, &random) {
                expectError(.logDamaged) { _ = try twins.open() }
                let reader = try twins.openReadOnly()
                let (events, damage) = try Self.read(reader)
                #expect(damage.isEmpty && events == Self.expected)
                try reader.close()
                try twins.reset()
            }
        }
        try twins.open().close()
    }

    @Test("random bytes of an opening that are exchanged or changed refuse the store, or what that opening sealed")
    func openings() throws {
        let rows = try twins.rows("log", "openings")
        #expect(rows.own.count >= 4, "the environment, the making of the store, and two openings")
        var random = SplitMix64(seed: 5)
        for index in rows.own.indices {
            for change in [RowChange.other, .bit] {
                guard let row = change.row(at: index, of: rows, &random) else { continue }
                try twins.put(row, in: rows)
                let what: Comment = "\(change), opening \(index)"
                let found = try attempt {
                    let store = try twins.openReadOnly()
                    defer { try? store.close() }
                    return try Self.read(store)
                }
                switch found {
                case .failure(let error): #expect(error.code == .logDamaged, what)
                case .success(let found):
                    let codes = Set(found.damage.map(\.code))
                    let isRefused = !codes.isEmpty && codes.isSubset(of: [.logForged, .logDamaged])
                    #expect(isRefused && index > 1, what)
                    Self.expectOthers(found.events, but: found.damage, what)
                }
                try twins.put(rows.own[index], in: rows)
            }
        }
    }

    private func attempt<Value>(_ body: () throws -> Value) throws -> Result<Value, StoreError> {
        do { return .success(try body()) } catch let error as StoreError { return .failure(error) }
    }
}
