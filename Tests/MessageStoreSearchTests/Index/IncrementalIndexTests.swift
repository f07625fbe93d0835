#if os(macOS) || os(Linux)
import Foundation
import MessageStoreModel
import MessageStoreTestKit
import MessageStoreWorkload
import Testing

@testable import MessageStore
@testable import MessageStoreSearch

@Suite("Search: an index that grew, and one that is made at once", .timeLimit(.minutes(30)))
struct IncrementalIndexTests {
    @Test(
        "an index that grew in random steps, with erasures in between, answers as one that is made at once",
        arguments: Seeds.first(2))
    func grown(seed: UInt64) throws {
        let place = try TemporaryStore()
        var store = try Self.open(place)
        var random = SplitMix64(seed: seed)
        var history = ChatHistory(seed: seed, changeRate: 0.05, erasures: 5)
        var (mostRuns, numbers) = (0, 0)
        for round in 0..<600 where round < 90 || mostRuns < SearchRun.fanOut || numbers <= 20 {
            let lines = (0..<1 + random.nextIndex(12)).map { _ in OwnSentences.line(&random) }
            try history.record(lines, in: store)
            if random.chance(0.8) {
                // A few pieces of work, or all.
                let pieces = random.chance(0.5) ? 1 + random.nextIndex(3) : .max
                for _ in 0..<pieces where try !store.lagging[SearchIndex.id].step(store, atLeast: 1) { break }
            }
            let directory = try Self.directory(store)
            (mostRuns, numbers) = (max(mostRuns, directory.runs.count), Int(directory.nextNumber))
        }
        try catchUp(store)
        let directory = try Self.directory(store)
        #expect(mostRuns >= SearchRun.fanOut && directory.nextNumber > 20)
        #expect(directory.runs.contains { $0.events > 60 }, "runs were merged")
        // What was erased leaves a run when it is merged, and the answers before.
        #expect(directory.garbage.isEmpty && directory.job == nil)
        let queries = Self.queries(seed, history)
        let grown = try queries.map { try Self.pages(store, $0, sizes: [1, 3, 20]) }
        try store.close()

        try FileManager.default.removeItem(atPath: FileHunt.indexFolder(in: place.path))
        store = try Self.open(place)
        try catchUp(store)
        #expect(try Self.directory(store).runs.count == 1)
        for (query, expected) in zip(queries, grown) {
            let made = try Self.pages(store, query, sizes: [1000])
            #expect(Set(expected).count == 1 && expected.first == made.first, "seed \(seed): \(query)")
        }
        #expect(grown.count { $0.first?.isEmpty == false } > queries.count / 2)
        try store.close()
    }

    private static func open(_ place: TemporaryStore) throws -> MessageStore {
        try place.open { configuration in
            configuration.laggingProjections = [SearchIndex()]
            configuration.clock = ManualClock()
        }
    }

    private static func queries(_ seed: UInt64, _ history: ChatHistory) -> [SearchQuery] {
        var sampler = QuerySampler(
            seed: seed, history.shown.values.sorted { $0.id < $1.id }, history.conversations)
        return (0..<80).map { _ in sampler.next() }.filter { (try? $0.check()) != nil }
    }

    /// The hits by pages of each of some sizes.
    private static func pages(_ store: MessageStore, _ query: SearchQuery, sizes: [Int]) throws -> [[UInt64]] {
        try sizes.map { size in
            var (hits, next): ([UInt64], PageCursor?) = ([], nil)
            repeat {
                let page = try store.search(query, after: next, limit: size)
                #expect(page.isComplete && page.elements.count <= size)
                hits += page.elements.map(\.position.rawValue)
                next = page.next
            } while next != nil
            return hits
        }
    }

    static func directory(_ store: MessageStore) throws -> SearchDirectory {
        try store.read(SearchIndex.id) { rows in
            switch rows {
            case .some(let rows): try SearchDirectory(reading: rows)
            case .none: SearchDirectory()
            }
        }
    }
}
#endif
