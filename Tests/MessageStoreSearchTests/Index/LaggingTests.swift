import Foundation
import Logging
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreSearch

/// Counts events, and the words of messages.
private struct WordCounts: LaggingProjection {
    static let id: ProjectionID = "com.example.word-counts"
    var version: UInt32 = 1
    var isFailing = false

    struct Failure: Error {}

    func apply(_ positions: ClosedRange<Position>, in views: borrowing Views, to rows: borrowing LaggingRows) throws {
        if isFailing { throw Failure() }
        for raw in positions.lowerBound.rawValue...positions.upperBound.rawValue {
            guard let message = try views.message(LocalMessageID(raw)), let text = message.text else { continue }
            for word in text.split(separator: " ") {
                let key = Array(word.utf8)
                let count = try rows.value(at: key)?.first ?? 0
                try rows.put([count + 1], at: key)
            }
        }
    }
}

/// Named as no host may name one.
private struct BadName: LaggingProjection {
    static let id: ProjectionID = "counts"
    let version: UInt32 = 1

    func apply(_ positions: ClosedRange<Position>, in views: borrowing Views, to rows: borrowing LaggingRows) throws {}
}

/// Finds the disk full for a while, twice.
private final class FullDisk: LaggingProjection {
    static let id: ProjectionID = "com.example.full-disk"
    let version: UInt32 = 1
    let tries = Locked(0)

    func apply(_ positions: ClosedRange<Position>, in views: borrowing Views, to rows: borrowing LaggingRows) throws {
        let number = tries.withLock { tries in
            tries += 1
            return tries
        }
        if (1...3).contains(number) || (5...6).contains(number) { throw StoreError(.diskFull, "no room") }
    }
}

/// Says how far it has come.
private struct Announcing: LaggingProjection {
    static let id: ProjectionID = "com.example.announcing"
    let version: UInt32 = 1
    let minimumLag = 1
    let reached: AsyncStream<Position>.Continuation

    func apply(_ positions: ClosedRange<Position>, in views: borrowing Views, to rows: borrowing LaggingRows) throws {
        reached.yield(positions.upperBound)
    }
}

/// Writes keys of some lengths.
private struct Keys: LaggingProjection {
    static let id: ProjectionID = "com.example.keys"
    let version: UInt32 = 1
    let lengths: [Int]

    func apply(_ positions: ClosedRange<Position>, in views: borrowing Views, to rows: borrowing LaggingRows) throws {
        for length in lengths {
            let key = [UInt8](repeating: 7, count: length)
            try rows.put([1], at: key)
            guard try rows.value(at: key) == [1] else { throw StoreError(.viewsDamaged, "not found") }
        }
    }
}

@Suite("Lagging projections", .timeLimit(.minutes(30)))
struct LaggingTests {
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    private func open(_ place: TemporaryStore, _ projections: [any LaggingProjection]) throws -> MessageStore {
        try place.open { configuration in
            configuration.laggingProjections = projections
            configuration.clock = ManualClock()
        }
    }

    private func receive(_ store: MessageStore, _ text: String, _ id: ServerMessageID) throws -> Position {
        try #require(
            try store.record(.received(id, from: "bob", in: SearchStore.chat, at: nil, content: .text(text))).position)
    }

    private func count(_ word: String, _ store: MessageStore) throws -> UInt8? {
        try store.read(WordCounts.id) { rows in
            switch rows {
            case .some(let rows): try rows.value(at: Array(word.utf8))?.first
            case .none: nil
            }
        }
    }

    @Test("two projections follow one log, each with files of its own")
    func two() throws {
        var store = try open(place, [SearchIndex(), WordCounts()])
        _ = try receive(store, "tea tea coffee", "a")
        try store.catchUp(WordCounts.id)
        #expect(try count("tea", store) == 2 && store.position(of: SearchIndex.id) == .origin)
        try store.catchUp(SearchIndex.id)
        #expect(try store.position(of: WordCounts.id) == store.position(of: SearchIndex.id))
        #expect(try store.search(SearchQuery("coffee")).elements.count == 1)
        try store.close()
        // Another version is made again, the other projection is left as it is.
        store = try open(place, [WordCounts(version: 2), SearchIndex()])
        #expect(try store.position(of: WordCounts.id) == .origin && count("tea", store) == nil)
        #expect(try store.position(of: SearchIndex.id) == Position(1))
        try store.catchUp(WordCounts.id)
        #expect(try count("tea", store) == 2)
        try store.close()
    }

    @Test("events that are restored into an open store are followed without a further one")
    func restored() async throws {
        let events = try TemporaryStore().withStore { store in
            for id in ["a", "b", "c"] as [ServerMessageID] { _ = try receive(store, "tea", id) }
            return try store.events()
        }
        let (positions, reached) = AsyncStream<Position>.makeStream()
        let place = try TemporaryStore()
        let store = try place.open { $0.laggingProjections = [Announcing(reached: reached)] }
        try await store.appendRecorded(events)
        #expect(await positions.first { $0 == Position(3) } != nil)
        try await store.close()
    }

    @Test("two projections that begin at the same time do not get in each other's way")
    func together() async throws {
        for _ in 0..<20 {
            let place = try TemporaryStore()
            let store = try open(place, [SearchIndex(), WordCounts()])
            _ = try receive(store, "tea", "a")
            async let first: Void = store.catchUp(WordCounts.id)
            async let second: Void = store.catchUp(SearchIndex.id)
            _ = try await (first, second)
            #expect(try store.position(of: WordCounts.id) == store.position(of: SearchIndex.id))
            try await store.close()
        }
    }

    @Test("a projection that cannot erase has all its rows made again, and keeps nothing of what was erased")
    func defaultErase() throws {
        let store = try open(place, [WordCounts()])
        let secret = try receive(store, "\(FileHunt.word) common", "a")
        _ = try receive(store, "common", "b")
        try store.catchUp(WordCounts.id)
        #expect(try count(FileHunt.word, store) == 1 && count("common", store) == 2)
        try store.redact(secret)
        try store.catchUp(WordCounts.id)
        #expect(try count(FileHunt.word, store) == nil && count("common", store) == 1)
        try store.compact()
        #expect(try FileHunt.counts(in: place.path) == [:])
        try store.close()
    }

    @Test("one that throws is logged and stops until the next opening, while the other one works")
    func failing() async throws {
        let (messages, collected) = AsyncStream<String>.makeStream()
        var store = try place.open { configuration in
            configuration.laggingProjections = [SearchIndex(), WordCounts(isFailing: true)]
            configuration.logger = Logger(label: "test") { _ in Collector { collected.yield($0) } }
        }
        _ = try receive(store, "tea", "a")
        #expect(await messages.contains { $0.contains("a lagging projection stopped") })
        await #expect(throws: WordCounts.Failure.self) { try await store.catchUp(WordCounts.id) }
        try await store.catchUp(SearchIndex.id)
        #expect(try await store.search(SearchQuery("tea")).elements.count == 1)
        try await store.close()
        store = try open(place, [SearchIndex(), WordCounts()])
        try await store.catchUp(WordCounts.id)
        #expect(try count("tea", store) == 1)
        try await store.close()
    }

    @Test("files without tables, as a loss of power right after they were made leaves them, are made again")
    func noTables() async throws {
        var store = try open(place, [WordCounts()])
        _ = try receive(store, "tea", "a")
        try await store.catchUp(WordCounts.id)
        try await store.close()
        let path = place.path + "/lagging/" + WordCounts.id.rawValue
        try FileSystem.remove(path)
        try FileSystem.createDirectory(path)
        _ = try Environment(path: path, configuration: .init(access: .create, isCache: true))
        // Damage that is found, and no failure of the check.
        let report = try await MessageStore.check(place.path, configuration: .ofTests)
        #expect(!report.findings.isEmpty)
        store = try open(place, [WordCounts()])
        #expect(try count("tea", store) == nil)
        try await store.catchUp(WordCounts.id)
        #expect(try count("tea", store) == 1)
        try await store.close()
    }

    @Test("one that waits because the disk is full is logged once, and again once it has worked in between")
    func waiting() async throws {
        let (messages, projection, clock) = (Locked<[String]>([]), FullDisk(), ManualClock())
        let store = try place.open { configuration in
            configuration.laggingProjections = [projection]
            configuration.clock = clock
            configuration.logger = Logger(label: "test") { _ in
                Collector { text in messages.withLock { $0.append(text) } }
            }
        }
        for (id, expected) in [("a", 4), ("b", 7)] {
            _ = try receive(store, "tea", ServerMessageID(id))
            // How often and how long it waits between two tries is its own affair: no moment of the clock can be waited for.
            for _ in 0..<10_000 where projection.tries.withLock({ $0 < expected }) {
                clock.advance(by: .seconds(10))
                try await Task.sleep(for: .milliseconds(50))
            }
            try await store.catchUp(FullDisk.id)
        }
        let waits = messages.withLock { $0.filter { $0 == "a lagging projection waits" } }
        #expect(waits.count == 2)
        try await store.close()
    }

    private struct Collector: LogHandler {
        let collect: @Sendable (String) -> Void
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(_ collect: @escaping @Sendable (String) -> Void) { self.collect = collect }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { collect("\(event.message)") }
    }

    @Test("names are in reverse-DNS notation, and each of one projection")
    func names() throws {
        for projections in [[BadName()], [SearchIndex(), SearchIndex()]] as [[any LaggingProjection]] {
            let error = #expect(throws: StoreError.self) { try open(place, projections) }
            #expect(error?.code == .invalidArgument)
        }
        let store = try open(place, [])
        #expect(throws: StoreError.self) { try store.position(of: SearchIndex.id) }
        #expect(throws: StoreError.self) { try store.read(WordCounts.id) { _ in } }
        try store.close()
    }

    @Test("keys have 1 to 500 bytes")
    func keys() async throws {
        for (length, isAllowed) in [(0, false), (1, true), (500, true), (501, false)] {
            let place = try TemporaryStore()
            let store = try open(place, [Keys(lengths: [length])])
            _ = try receive(store, "tea", "a")
            if isAllowed {
                try await store.catchUp(Keys.id)
                #expect(try store.position(of: Keys.id) == Position(1))
            } else {
                let error = await #expect(throws: StoreError.self) { try await store.catchUp(Keys.id) }
                #expect(error?.code == .invalidArgument)
            }
            try store.read(Keys.id) { rows in
                switch rows {
                case .some(let rows):
                    for length in [0, 501] {
                        let error = #expect(throws: StoreError.self) { try Self.value(length, rows) }
                        #expect(error?.code == .invalidArgument)
                    }
                case .none: break
                }
            }
            try await store.close()
        }
    }

    private static func value(_ length: Int, _ rows: borrowing LaggingSnapshot) throws {
        _ = try rows.value(at: [UInt8](repeating: 7, count: length))
    }
}
