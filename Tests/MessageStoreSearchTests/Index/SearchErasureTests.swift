import Foundation
import MessageStoreTestKit
import MessageStoreWorkload
import Testing

@testable import MessageStore
@testable import MessageStoreSearch

@Suite("Search: what is erased leaves the index", .timeLimit(.minutes(30)))
struct SearchErasureTests {
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    /// A way in which messages lose their words.
    enum Way: CaseIterable {
        case redaction, deletion, clearing, erasureOfEvents, erasureOfUser

        func apply(to store: MessageStore, _ secrets: [Position]) throws {
            switch self {
            case .redaction: for secret in secrets { try store.redact(secret) }
            case .deletion:
                let messages = secrets.map { MessageReference.local(LocalMessageID($0.rawValue)) }
                try store.record(Event(MessagesDeleted(messages, erases: true), in: SearchErasureTests.secrets))
            case .clearing: try store.record(Event(HistoryCleared(erases: true), in: SearchErasureTests.secrets))
            case .erasureOfEvents: try store.erase(.events(secrets))
            case .erasureOfUser: try store.erase(.users(["eve"], alsoMessages: true))
            }
        }
    }

    private static let secrets = ConversationKey.group("secrets")

    private static func open(_ place: TemporaryStore) throws -> MessageStore {
        try place.open { configuration in
            configuration.laggingProjections = [SearchIndex()]
            configuration.clock = ManualClock()
            configuration.automaticCompaction = nil
        }
    }

    /// Records messages of which every fifth has the secret, and lets the index follow so many times; answers where they are.
    private static func fill(_ store: MessageStore, rounds: Int, each: Int = 40) throws -> [Position] {
        var secrets: [Position] = []
        for round in 0..<rounds {
            let events = (0..<each).map { number -> Event in
                let id = ServerMessageID("\(round).\(number)")
                let isSecret = number.isMultiple(of: 5)
                return .received(
                    id, from: isSecret ? "eve" : "bob", in: isSecret ? Self.secrets : .group("others"),
                    at: Timestamp(milliseconds: Int64(number)),
                    content: .text("\(isSecret ? FileHunt.secret : "harmless") n\(round) 共同的话 common word\(number)"))
            }
            let positions = try store.record(events).positions.compactMap { $0 }
            secrets += positions.enumerated().filter { $0.offset.isMultiple(of: 5) }.map(\.element)
            try catchUp(store)
        }
        return secrets
    }

    @Test(
        "no gram of what was erased is in any file after a compaction, and all else is found",
        arguments: Way.allCases, [1, 9])
    func hunt(way: Way, rounds: Int) throws {
        var store = try Self.open(place)
        let secrets = try Self.fill(store, rounds: rounds)
        let found = try FileHunt.counts(in: place.path)["lagging/com.messagestore.search/data.mdb"] ?? 0
        #expect((found > 0) == (TemporaryStore.key == nil))
        // Half of them at first; merges come in between.
        try way.apply(
            to: store, way == .clearing || way == .erasureOfUser ? secrets : Array(secrets.prefix(secrets.count / 2)))
        if rounds > 3 { try catchUp(store) }
        for number in 0..<9 {
            try store.record(
                .received(
                    ServerMessageID("later \(number)"), from: "bob", in: .group("others"), at: nil,
                    content: .text("later")))
            if rounds > 1 { try catchUp(store) }
        }
        if way != .clearing, way != .erasureOfUser { try way.apply(to: store, secrets) }
        #expect(try texts(store, FileHunt.word) == 0 && texts(store, FileHunt.pair) == 0)
        let report = try store.compact()
        #expect(report.isErasureComplete)
        #expect(try FileHunt.counts(in: place.path) == [:])
        for _ in 0..<2 {
            #expect(try texts(store, FileHunt.word) == 0)
            #expect(try texts(store, "common") == rounds * 32)
            #expect(try texts(store, "同的") == rounds * 32)
            #expect(try texts(store, "later") == 9)
            try catchUp(store)
        }
        try store.close()
        store = try Self.open(place)
        #expect(try texts(store, "harmless") == rounds * 32 && store.verify().isConsistent)
        try store.close()
        #expect(try FileHunt.counts(in: place.path) == [:])
    }

    private func texts(_ store: MessageStore, _ typed: String) throws -> Int {
        let page = try store.search(SearchQuery(typed), limit: 1000)
        #expect(page.isComplete)
        return page.elements.count
    }

    @Test("a process that erases without the index removes its folder", arguments: Way.allCases)
    func withoutTheProduct(way: Way) throws {
        let store = try Self.open(place)
        let secrets = try Self.fill(store, rounds: 3)
        try store.close()
        let other = try place.open { $0.automaticCompaction = nil }
        let folder = FileHunt.indexFolder(in: place.path)
        #expect(FileManager.default.fileExists(atPath: folder))
        try way.apply(to: other, secrets)
        #expect(!FileManager.default.fileExists(atPath: folder))
        try other.compact()
        #expect(try FileHunt.counts(in: place.path) == [:])
        try other.close()
        let again = try Self.open(place)
        try catchUp(again)
        #expect(try texts(again, "common") == 96 && texts(again, FileHunt.word) == 0)
        try again.close()
    }

    @Test("an erasure during a merge ends the merge, and leaves nothing of it")
    func duringMerge() throws {
        let store = try Self.open(place)
        let follower = try store.lagging[SearchIndex.id]
        // Long enough that a piece of the merge leaves some of it.
        var (secrets, number, random) = ([Position](), 0, SplitMix64(seed: 1))
        for _ in 0..<8 {
            let events = (0..<300).map { index -> Event in
                number += 1
                let words = (0..<110).map { String(random.next() | UInt64($0), radix: 36) }.joined(separator: " ")
                return .received(
                    ServerMessageID("m\(number)"), from: "bob", in: Self.secrets, at: nil,
                    content: .text(index == 0 ? "\(FileHunt.secret) common" : "common " + words))
            }
            secrets.append(try #require(try store.record(events).positions[0]))
            // Folds, and does one piece of work.
            _ = try follower.step(store, atLeast: 1)
        }
        var hadJob = false
        for secret in secrets {
            _ = try follower.step(store, atLeast: 1)
            hadJob = try hadJob || Self.directory(store).job != nil
            try store.redact(secret)
        }
        #expect(hadJob)
        try store.compact()
        #expect(try FileHunt.counts(in: place.path) == [:])
        try catchUp(store)
        #expect(try Self.directory(store).garbage.isEmpty)
        #expect(try texts(store, "common") == 1000)
        try store.close()
    }

    private static func directory(_ store: MessageStore) throws -> SearchDirectory {
        try store.read(SearchIndex.id) { rows in
            switch rows {
            case .some(let rows): try SearchDirectory(reading: rows)
            case .none: SearchDirectory()
            }
        }
    }
}
