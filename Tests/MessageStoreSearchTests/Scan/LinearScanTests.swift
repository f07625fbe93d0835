#if os(macOS) || os(Linux)
import Foundation
import MessageStoreModel
import MessageStoreSearch
import MessageStoreTestKit
import MessageStoreWorkload
import Testing

@testable import MessageStore

/// How much is compared: `MESSAGESTORE_SEARCHES` searches of `MESSAGESTORE_SEARCH_MESSAGES` messages of each log, or of the
/// one that `MESSAGESTORE_SEARCH_LOG` names.
enum ScanSize {
    private static func number(_ name: String, _ otherwise: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? otherwise
    }

    static let searches = number("MESSAGESTORE_SEARCHES", TestSize.of(plain: 20, full: 100))
    static let logs =
        ProcessInfo.processInfo.environment["MESSAGESTORE_SEARCH_LOG"].map { [$0] }
        ?? ["gitter-fcc", "ubuntu-irc", "zh-dialog"]
    static let messages = number("MESSAGESTORE_SEARCH_MESSAGES", TestSize.of(plain: 1_000, full: 5_000))
}

@Suite(
    "Search, compared with a linear scan by another program", .serialized,
    .enabled(if: FoldingOracle.isAvailable, "python3 is not on the path"), .timeLimit(.minutes(120)))
struct LinearScanTests {
    private static let logs = ScanSize.logs.filter { LinearScan.file($0) != nil }

    @Test(
        "generated searches of real logs find what the scan finds: without an index, with a part of one, and with all of it",
        .enabled(if: !logs.isEmpty, "../shared/data is absent"), arguments: logs)
    func realLog(name: String) throws {
        let file = try #require(LinearScan.file(name))
        try compare(LinearScan.lines(file, count: ScanSize.messages), searches: ScanSize.searches, name)
    }

    @Test("generated searches of sentences in ten scripts find what the scan finds", arguments: Seeds.first(2))
    func ownSentences(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let lines = (0..<400).map { _ in OwnSentences.line(&random) }
        try compare(lines, searches: 150, "own sentences", seed: seed)
    }

    private func compare(_ lines: [LinearScan.Line], searches: Int, _ name: String, seed: UInt64 = 1) throws {
        let place = try TemporaryStore()
        let open = {
            try place.open { configuration in
                configuration.laggingProjections = [SearchIndex()]
                // The index follows when it is asked to.
                configuration.clock = ManualClock()
            }
        }
        var store = try open()
        let scan = try LinearScan()
        var history = ChatHistory(seed: seed, changeRate: 0.05, erasures: 6)
        var figures = Figures()
        let parts = [lines[..<(lines.count * 2 / 5)], lines[(lines.count * 2 / 5)..<(lines.count * 4 / 5)]]
        for (phase, part) in (parts + [lines[(lines.count * 4 / 5)...]]).enumerated() {
            try history.record(Array(part), in: store)
            try history.update(scan)
            // Erasing the values of a conversation has the index made again.
            if phase == 0 { #expect(try store.position(of: SearchIndex.id) == .origin) }
            var sampler = QuerySampler(
                seed: seed * 10 + UInt64(phase), history.shown.values.sorted { $0.id < $1.id }, history.conversations)
            try compare(store, scan, &sampler, history, searches / (phase == 0 ? 10 : 4), &figures, name)
            try catchUp(store)
            #expect(try store.position(of: SearchIndex.id) == store.lastPosition())
        }
        var sampler = QuerySampler(
            seed: seed * 10 + 9, history.shown.values.sorted { $0.id < $1.id }, history.conversations)
        try compare(store, scan, &sampler, history, searches - figures.searches, &figures, name)
        try store.close()
        store = try open()
        try compare(store, scan, &sampler, history, 5, &figures, name)
        #expect(try store.verify().isConsistent)
        try store.close()
        figures.report(name, history)
    }

    private struct Figures {
        var (searches, hits, without, refused, incomplete, differ) = (0, 0, 0, 0, 0, 0)

        func report(_ name: String, _ history: ChatHistory) {
            print(
                "search: \(name): searches \(searches), hits \(hits), without hits \(without), refused \(refused),",
                "not complete \(incomplete), messages shown \(history.shown.count), erasures \(history.erasures), different \(differ)"
            )
        }
    }

    private func compare(
        _ store: MessageStore, _ scan: LinearScan, _ sampler: inout QuerySampler, _ history: ChatHistory, _ count: Int,
        _ figures: inout Figures, _ name: String
    ) throws {
        for _ in 0..<max(count, 0) {
            let query = sampler.next()
            figures.searches += 1
            let expected = try scan.find(query)
            let isLong = query.terms.reduce(0) { $0 + $1.text.count } > SearchQuery.greatestGramCount
            guard let expected, !isLong || (try? query.check()) != nil else {
                figures.refused += 1
                #expect(throws: StoreError.self) { try store.search(query) }
                continue
            }
            if sampler.random.chance(0.2) {
                let scan = sampler.random.nextIndex(ScanSize.messages)
                let page = try store.search(query, limit: 1000, scanning: scan)
                let hits = page.elements.map { ScanHit($0) }
                #expect(Set(hits).isSubset(of: expected) && (!page.isComplete || hits == Array(expected.prefix(1000))))
                if !page.isComplete { figures.incomplete += 1 }
            }
            let size = [1, 3, 20, 1000][sampler.random.nextIndex(4)]
            // Each page reads again what the index lacks.
            let isSlow = try expected.count > 60 || lag(of: store) > 3_000
            let found = try allHits(store, query, pageSize: isSlow ? 1000 : size)
            figures.hits += found.count
            if found.isEmpty { figures.without += 1 }
            guard found.map({ ScanHit($0) }) == expected, found.allSatisfy({ isShown($0, history) }) else {
                figures.differ += 1
                let missing = Set(expected).subtracting(found.map { ScanHit($0) }).prefix(3)
                let added = Set(found.map { ScanHit($0) }).subtracting(expected).prefix(3)
                Issue.record(
                    "\(name): \(query): lacks \(missing.map { ($0, history.shown[$0.id]) }), adds \(added)")
                continue
            }
        }
    }

    /// Whether a hit has the words of the message's field, and highlights of whole characters in them.
    private func isShown(_ hit: SearchHit, _ history: ChatHistory) -> Bool {
        hit.text == history.shown[hit.position.rawValue]?.words(hit.field) && !hit.highlights.isEmpty
            && (hit.field == .fileName || hit.message?.text == hit.text)
            && hit.highlights.allSatisfy { $0.isOfWholeCharacters(in: hit.text) }
    }

    private func lag(of store: MessageStore) throws -> UInt64 {
        try store.lastPosition().rawValue - store.position(of: SearchIndex.id).rawValue
    }

    private func allHits(_ store: MessageStore, _ query: SearchQuery, pageSize: Int) throws -> [SearchHit] {
        var (hits, next): ([SearchHit], PageCursor?) = ([], nil)
        repeat {
            let page = try store.search(query, after: next, limit: pageSize)
            #expect(page.isComplete && !page.hasLongTexts)
            hits += page.elements
            next = page.next
        } while next != nil
        return hits
    }
}

extension Range<String.Index> {
    /// Whether both ends are ends of characters, and something is between them.
    func isOfWholeCharacters(in text: String) -> Bool {
        !isEmpty && String.Index(lowerBound, within: text) != nil && String.Index(upperBound, within: text) != nil
    }
}

/// Lets the index catch up, also in a test that is asynchronous.
func catchUp(_ store: MessageStore) throws { try store.catchUp(SearchIndex.id) }
#endif
