import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import MessageStoreWorkload
import Testing

@testable import MessageStore
@testable import MessageStoreSearch

@Suite("Search: edges", .timeLimit(.minutes(30)))
struct SearchEdgeTests {
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    private static func message(_ number: Int, _ text: String) -> Event {
        .received(
            ServerMessageID("m\(number)"), from: "bob", in: SearchStore.chat,
            at: Timestamp(milliseconds: Int64(number)),
            content: .text(text))
    }

    private static func open(_ place: TemporaryStore, _ index: SearchIndex = SearchIndex()) throws -> MessageStore {
        try place.open { configuration in
            configuration.laggingProjections = [index]
            configuration.clock = ManualClock()
        }
    }

    @Test("an index of another version is made again")
    func version() throws {
        var store = try place.open { configuration in
            configuration.events = [NoteWritten.self]
            configuration.laggingProjections = [SearchIndex()]
            configuration.clock = ManualClock()
        }
        try store.record([Event(NoteWritten(title: "green tea"), in: SearchStore.chat), Self.message(1, "tea")])
        try catchUp(store)
        #expect(try store.search(SearchQuery("tea")).elements.count == 1)
        try store.close()
        store = try place.open { configuration in
            configuration.events = [NoteWritten.self]
            configuration.laggingProjections = [SearchIndex(hostTexts: [HostText(NoteWritten.self) { $0.title }])]
            configuration.clock = ManualClock()
        }
        #expect(try store.position(of: SearchIndex.id) == .origin)
        for _ in 0..<2 {
            #expect(try store.search(SearchQuery("tea")).elements.map(\.position) == [Position(2), Position(1)])
            try catchUp(store)
        }
        #expect(try store.position(of: SearchIndex.id) == Position(2))
        try store.close()
    }

    @Test("a backup has no index, and a store that is restored from it makes one")
    func backup() throws {
        let store = try Self.open(place)
        try store.record((0..<600).map { Self.message($0, "word\($0 % 7)") })
        try catchUp(store)
        let (copy, restored) = (place.directory + "/copy", place.directory + "/restored")
        try store.backup(to: copy)
        try MessageStore.restoreBackup(from: copy, to: restored, key: TemporaryStore.key)
        try store.record(Self.message(1_000, "word1 not in the backup"))
        for path in [copy, restored] { #expect(!FileManager.default.fileExists(atPath: path + "/lagging")) }
        var configuration = place.configuration
        configuration.laggingProjections = [SearchIndex()]
        let other = try MessageStore.open(restored, account: "me", configuration: configuration)
        let expected = try store.search(SearchQuery("word1"), limit: 1000).elements.dropFirst().map(\.position)
        #expect(try other.search(SearchQuery("word1"), limit: 1000).elements.map(\.position) == Array(expected))
        try catchUp(other)
        #expect(try other.position(of: SearchIndex.id) == Position(600))
        #expect(try other.search(SearchQuery("word1"), limit: 1000).elements.map(\.position) == Array(expected))
        try other.close()
        try store.close()
    }

    @Test("the index of another log is not used: positions and times decide")
    func otherLog() throws {
        let (place, other) = (try TemporaryStore(), try TemporaryStore())
        for (place, text) in [(place, "mine"), (other, "theirs")] {
            let store = try Self.open(place)
            try store.record((0..<20).map { Self.message($0, text) })
            try catchUp(store)
            try store.close()
        }
        let (mine, theirs) = (FileHunt.indexFolder(in: place.path), FileHunt.indexFolder(in: other.path))
        try FileManager.default.removeItem(atPath: mine)
        try FileManager.default.copyItem(atPath: theirs, toPath: mine)
        let store = try Self.open(place)
        #expect(try store.position(of: SearchIndex.id) == .origin)
        #expect(try store.search(SearchQuery("mine")).elements.count == 20)
        try catchUp(store)
        #expect(
            try store.search(SearchQuery("mine")).elements.count == 20
                && store.search(SearchQuery("theirs")).elements.isEmpty)
        try store.close()
    }

    @Test("a repeat, a message for others, and one that is hidden until a verdict are no hits")
    func notShown() throws {
        let store = try place.open { configuration in
            configuration.laggingProjections = [SearchIndex()]
            configuration.clock = ManualClock()
            configuration.sync.duplicateSuppression.inConversations = true
        }
        try store.record([Self.message(1, "same tea"), Self.message(2, "same tea")])
        try store.record(
            .received(
                "others", from: "bob", in: SearchStore.chat, at: Timestamp(milliseconds: 3),
                content: .text("secret tea"),
                context: MessageContext(visibleTo: ["somebody"])))
        let hidden = try #require(try store.record(Self.message(4, "bad tea")).position)
        let reference = MessageReference.local(LocalMessageID(hidden.rawValue))
        try store.record(Event(MessageFiltered(reference, verdict: .hide), in: SearchStore.chat))
        let own = try #require(try store.record(.queued(.text("own tea"), in: SearchStore.chat)).position)
        for _ in 0..<2 {
            #expect(try store.search(SearchQuery("tea")).elements.map(\.text) == ["own tea", "same tea"])
            try catchUp(store)
        }
        // The verdict changes nothing that the index has.
        try store.record(Event(MessageFiltered(reference, verdict: .keep), in: SearchStore.chat))
        try store.record(.sent(LocalMessageID(own.rawValue), as: "own", in: SearchStore.chat))
        for _ in 0..<2 {
            #expect(try store.search(SearchQuery("tea")).elements.map(\.text) == ["own tea", "bad tea", "same tea"])
            try catchUp(store)
        }
        try store.close()
    }

    @Test("a search is cancelled with its task, and so is catching up")
    func cancellation() async throws {
        let store = try Self.open(place)
        for start in stride(from: 0, to: 6_000, by: 500) {
            try await store.record((0..<500).map { Self.message(start + $0, "common words number \(start + $0)") })
        }
        let search = Task { () -> SearchPage in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.search(SearchQuery("common nothing"))
        }
        await #expect(throws: CancellationError.self) { try await search.value }
        let catching = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.catchUp(SearchIndex.id)
        }
        await #expect(throws: CancellationError.self) { try await catching.value }
        // In the middle of it.
        struct Enough: Error {}
        var checks = 0
        #expect(throws: Enough.self) {
            try store.search(SearchQuery("words -common0*"), limit: 1000) {
                checks += 1
                if checks == 3 { throw Enough() }
            }
        }
        try await store.catchUp(SearchIndex.id)
        #expect(try await store.search(SearchQuery("common"), limit: 1000).elements.count == 1000)
        try await store.close()
    }

    @Test("a store is closed during searches, each of which is right or says that it is closed")
    func closing() async throws {
        for count in [0, 1, 4] {
            let (searches, isDone) = AsyncStream<Void>.makeStream()
            let place = try TemporaryStore()
            let store = try Self.open(place)
            try await store.record((0..<1_500).map { Self.message($0, "common words") })
            if count > 0 { try catchUp(store) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        while true {
                            do {
                                let page = try await store.search(SearchQuery("common"), limit: 1000)
                                #expect(page.elements.count == 1000 && page.isComplete)
                                isDone.yield()
                            } catch let error as StoreError where error.code == .closed {
                                return
                            }
                        }
                    }
                }
                for await _ in searches.prefix(count) {}
                try await store.close()
                try await group.waitForAll()
            }
            // Its files are free at once.
            let again = try Self.open(place)
            try catchUp(again)
            #expect(try await again.search(SearchQuery("common"), limit: 1000).elements.count == 1000)
            try await again.close()
        }
    }

    @Test("searches of four threads while messages arrive and the index follows: what was there before is always found")
    func concurrent() async throws {
        let store = try place.open { configuration in
            configuration.laggingProjections = [SearchIndex()]
        }
        let recorded = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { recorded.withLock { $0 = -1 } }
                for start in stride(from: 0, to: 2_400, by: 60) {
                    try await store.record((start..<start + 60).map { Self.message($0, "common n\($0 % 40) 知道") })
                    recorded.withLock { $0 = start + 60 }
                    if start.isMultiple(of: 240) { try await store.catchUp(SearchIndex.id) }
                }
            }
            for thread in 0..<4 {
                group.addTask {
                    var count = 0
                    while true {
                        let before = recorded.withLock { $0 }
                        guard before >= 0 else { break }
                        count += 1
                        let number = (count * 7 + thread) % 40
                        let page = try await store.search(SearchQuery("n\(number) 知道"), limit: 1000)
                        let expected = (0..<2_400).filter { $0 % 40 == number }.map { UInt64($0 + 1) }
                        let found = page.elements.map(\.position.rawValue)
                        #expect(page.isComplete)
                        let reached = page.position.rawValue
                        #expect(reached >= UInt64(before))
                        #expect(found == expected.filter { $0 <= reached }.reversed(), "\(number) at \(reached)")
                    }
                }
            }
            try await group.waitForAll()
        }
        try await store.close()
    }
}
