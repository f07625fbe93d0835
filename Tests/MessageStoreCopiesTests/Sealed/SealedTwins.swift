import Foundation
import MessageStore
import MessageStoreSearch
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreTestSupport

/// Two sealed stores with one key of the host and the same events. The first one is changed by parts of the second and is
/// made whole again.
final class SealedTwins {
    static let key = KeySource { [UInt8](repeating: 11, count: 32) }
    /// The directory of the index of the search.
    static let index = "lagging/" + SearchIndex.id.rawValue

    private let places: [TemporaryStore]

    init() throws {
        places = [try TemporaryStore(), try TemporaryStore()]
        for place in places {
            for batch in TwinEvents.batches {
                let store = try open(place)
                try store.record(batch)
                for number in 0..<3 { try store.subscribe(TestSubscriber("subscriber \(number)")).cancel() }
                try store.catchUp(SearchIndex.id)
                try store.close()
            }
            try FileManager.default.copyItem(atPath: place.path, toPath: place.directory + "/whole")
        }
        let last = try withStore { try $0.lastPosition() }
        #expect(last.rawValue == UInt64(TwinEvents.all.count))
    }

    /// The directory of the store that is changed.
    var path: String { places[0].path }

    private func open(
        _ place: TemporaryStore, _ check: MessageStore.Configuration.PageCheck = .afterUncleanClose
    ) throws -> MessageStore {
        try place.open { Self.configure(&$0, check) }
    }

    private static func configure(
        _ configuration: inout MessageStore.Configuration, _ check: MessageStore.Configuration.PageCheck
    ) {
        configuration.privacy.key = key
        configuration.projections = [Stars()]
        configuration.laggingProjections = [SearchIndex()]
        configuration.automaticCompaction = nil
        configuration.durability.pageCheck = check
    }

    /// The store, open for writing.
    func open(_ check: MessageStore.Configuration.PageCheck = .afterUncleanClose) throws -> MessageStore {
        try open(places[0], check)
    }

    func openReadOnly() throws -> MessageStore {
        try places[0].openReadOnly { Self.configure(&$0, .afterUncleanClose) }
    }

    private func withStore<Result>(_ body: (MessageStore) throws -> Result) throws -> Result {
        let store = try openReadOnly()
        let result = try body(store)
        try store.close()
        return result
    }

    func check() throws -> CheckReport {
        var configuration = places[0].configuration
        Self.configure(&configuration, .afterUncleanClose)
        return try MessageStore.check(path, configuration: configuration)
    }

    /// Sets the first store back.
    func reset() throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: places[0].directory + "/whole", toPath: path)
    }

    /// Puts a file or directory of the second store, or of another one, in the place of the first one's.
    func exchange(_ name: String, with other: TemporaryStore? = nil) throws {
        let other = other ?? places[1]
        try FileManager.default.removeItem(atPath: path + "/" + name)
        try FileManager.default.copyItem(atPath: other.path + "/" + name, toPath: path + "/" + name)
    }

    /// A store with the same events and without a key.
    static func makeClear() throws -> TemporaryStore {
        let place = try TemporaryStore()
        let store = try place.open {
            configure(&$0, .afterUncleanClose)
            $0.privacy.key = nil
        }
        try store.record(TwinEvents.all)
        try store.catchUp(SearchIndex.id)
        try store.close()
        return place
    }
}

extension SealedTwins {
    /// A table as it is stored: of the first store and of the second.
    struct Rows {
        let environment: String
        let table: String
        let own: [RawEnvironment.Row]
        let other: [RawEnvironment.Row]
    }

    /// The names of an environment's tables.
    func tables(of environment: String) throws -> [String] {
        try RawEnvironment(path + "/" + environment).tables()
    }

    func rows(_ environment: String, _ table: String) throws -> Rows {
        let rows = try places.map { place in
            try RawEnvironment(place.path + "/" + environment).rows(of: table)
        }
        return Rows(environment: environment, table: table, own: rows[0], other: rows[1])
    }

    /// Puts stored bytes into the first store, as somebody does who changes the file.
    func put(_ row: RawEnvironment.Row, in rows: Rows) throws {
        try RawEnvironment(path + "/" + rows.environment).put(row, in: rows.table)
    }

    func remove(_ row: RawEnvironment.Row, from rows: Rows) throws {
        try RawEnvironment(path + "/" + rows.environment).remove(row.key, from: rows.table)
    }
}

/// A change of a stored row by somebody who has the files of both stores, and no key.
enum RowChange: CaseIterable {
    /// The value of the other store's row in the same place.
    case other
    /// The value of another row of the same table.
    case moved
    /// One bit of the value.
    case bit

    /// The changed row in the place of one; nil if the table has no other row.
    func row(at index: Int, of rows: SealedTwins.Rows, _ random: inout SplitMix64) -> RawEnvironment.Row? {
        var row = rows.own[index]
        switch self {
        case .other: row.value = rows.other[index % rows.other.count].value
        case .moved:
            guard rows.own.count > 1 else { return nil }
            row.value = rows.own[(index + 1) % rows.own.count].value
        case .bit:
            // A checksum, where there is one, is in the first eight bytes.
            row.value[8 + random.nextIndex(row.value.count - 8)] ^= 1 << UInt8(random.nextIndex(8))
        }
        return row
    }
}

extension RawEnvironment.Row {
    /// The row of a record with the checksum of its bytes.
    var withChecksumOfRecord: Self { withChecksum(seed: 0x4D53_4C4F_4731_0000) }

    /// The row of a name with the checksum of its bytes, which the space and the number change.
    var withChecksumOfName: Self {
        let number = key.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return withChecksum(seed: UInt64(key[0]) << 32 | number)
    }

    private func withChecksum(seed: UInt64) -> Self {
        var row = self
        let sum = XXH64.hash(Array(value.dropFirst(8)).span.bytes, seed: seed)
        row.value.replaceSubrange(0..<8, with: withUnsafeBytes(of: sum.littleEndian) { Array($0) })
        return row
    }
}
