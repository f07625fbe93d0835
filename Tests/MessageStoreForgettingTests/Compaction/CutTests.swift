import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreLog
@testable import MessageStoreTestSupport

@Suite("I14, I16: cutting off", .timeLimit(.minutes(30)))
struct CutTests {
    private static let other = ConversationKey.group("other")

    /// Messages of two conversations in turn, with what others say of them.
    private static let events: [Event] = (1...40).flatMap { number -> [Event] in
        let id = ServerMessageID("m\(number)")
        let message = received(id, at: Int64(number), eventID: EventID("e\(number)"))
        var detail = [
            .recalled(.server(id), in: group, origin: .live),
            .reactionAdded("👍", to: .server(id), by: "eve", in: group, at: ms(Int64(number))),
            readByPeer(.messages([.server(id)]), at: Int64(number)),
        ][number % 3]
        detail.id = EventID("d\(number)")
        return [message, detail, received(id, at: Int64(number), in: other)]
    }

    private struct Answers: Equatable {
        let timelines: [[String]]
        let unread: [UnreadCount]
        let badge: Int
        let list: [ConversationKey]
        let members: [Member]

        init(_ store: MessageStore) throws {
            timelines = try [group, other].map { key in try store.texts(of: key) }
            unread = try [group, other].map { try store.unread($0) }
            badge = try store.read { try $0.unreadTotals().badge }
            list = try store.list()
            members = try store.members()
        }
    }

    private static func fill(_ store: MessageStore) throws {
        try store.record([created("team", members: ["bob", "eve"])] + events)
        let own = try store.local(queued("sent", token: "t1"))
        try store.record(sent(own, "own", at: 30), pinned())
        _ = try store.local(queued("waits", token: "t2"))
    }

    @Test(
        "I3, I4, I14, I16: records that no answer needs leave with a compaction, and all that remains stays as it was")
    func cut() throws {
        let place = try TemporaryStore()
        var store = try place.open()
        try Self.fill(store)
        let cleared = try store.record(
            [Event(HistoryCleared(upTo: order(35, "m35"), erases: true), in: group)]
        ).lastPosition
        try store.record(received("m41", at: 41))
        let (answers, events) = (try Answers(store), try store.events())

        let report = try store.compact()
        // All messages but the newest, what is said of them, and one of this account with its acknowledgement.
        #expect(report.cutEvents == 34 + 34 + 2 && report.isErasureComplete)
        for _ in 1...2 {
            #expect(try Answers(store) == answers)
            #expect(Set(try store.events().map(\.position)).isSubset(of: events.map(\.position)))
            #expect(try store.events(order: .descending) == store.events().reversed())
            #expect(try store.events().count == events.count - report.cutEvents)
            let statistics = try store.statistics()
            #expect(statistics.replayStart == cleared && statistics.cutEvents == report.cutEvents)
            #expect(try store.isConsistent())
            #expect(try store.record(Self.events).duplicates == Self.events.count)
            #expect(try store.record([queued("sent", token: "t1")]).duplicates == 1, "no message is sent twice")
            try store.close()
            #expect(try MessageStore.check(place.path, configuration: .ofTests).isSound)
            store = try place.open()
        }
        try store.close()
    }

    @Test("what was cut off has a typed error, and everything after it can be replayed")
    func positions() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try Self.fill(store)
        let session = try store.replaySession()
        let (first, last) = (
            Position(2), try store.record([Event(HistoryCleared(erases: true), in: group)]).lastPosition
        )
        let digests = try store.digests()
        try store.record(received("new", at: 100))
        try store.compact()
        #expect(try store.digests(at: last) != digests, "rows of cleared messages are gone")
        #expect(try store.digests(at: store.lastPosition()) == store.digests())
        #expect(storeError { try session.read(at: last) { _ in } }?.code == .closed)
        let later = try store.replaySession()
        #expect(try later.read(at: last) { try $0.unread(of: group).messages } == 0)
        let errors = [
            storeError { _ = try store.digests(at: first) }, storeError { try later.read(at: first) { _ in } },
            storeError { _ = try later.changes(from: first, to: last) },
            storeError { _ = try store.writeSegment(after: first, to: place.path + ".segment") },
        ]
        for error in errors { #expect(error?.code == .positionCut && error?.position == first) }
        #expect(try store.read { try $0.event(at: first) } == nil)
        #expect(try store.lastPosition(recordedBy: Timestamp(milliseconds: .max)) == store.lastPosition())
        let (changes, isComplete) = try later.lastChanges(of: { try $0.unread(of: group).messages })
        #expect(changes.map(\.after) == [1] && isComplete)
        try store.backup(to: place.path + ".backup")
        let copy = try MessageStore.open(
            place.path + ".backup", account: TemporaryStore.account, configuration: .ofTests)
        #expect(try copy.digests() == store.digests() && copy.statistics().replayStart == last)
        #expect(try copy.record(Self.events).duplicates == Self.events.count)
        try copy.close()
        try store.close()
    }

    @Test("X14: a backup from before a cut is restored without what was cut off, by the ledger")
    func ledger() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let (copy, new) = (place.directory + "/copy", place.directory + "/new")
        try Self.fill(store)
        try store.backup(to: copy)
        try store.record([Event(HistoryCleared(erases: true), in: group)])
        #expect(try store.compact().cutEvents > 0)
        let ledger = try ErasureLedger(json: store.erasureLedger().json)
        try MessageStore.restoreBackup(from: copy, to: new, applying: ledger, key: TemporaryStore.key)
        let restored = try MessageStore.open(new, account: TemporaryStore.account, configuration: .ofTests)
        let words = try restored.events().compactMap { $0.event.payload as? MessageReceived }.filter {
            $0.content.text != nil
        }
        #expect(words.count == 40, "those of the other conversation")
        try restored.close()
        try store.close()
    }

    @Test(
        "what is said of messages that were cut off before goes with the next cut, and nothing is cut during a rebuild")
    func again() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try Self.fill(store)
        try store.record([Event(HistoryCleared(erases: true), in: group)])
        let first = try store.compact().cutEvents
        try store.record(
            [readByPeer(.messages([.server("m1"), .local(LocalMessageID(2))]), at: 50), received("m50", at: 50)]
                + [Event(HistoryCleared(erases: true), in: group)])
        var error: StoreError?
        try store.rebuild { _, _ in error = storeError { _ = try store.compact() } }
        #expect(error?.code == .rebuilding && error != nil)
        #expect(try store.statistics().cutEvents == first)
        // The receipt, and the message that was the newest before, with its reaction.
        #expect(try store.compact().cutEvents == 3)
        #expect(try store.statistics().cutEvents == first + 3 && store.isConsistent())
        #expect(try store.record(Self.events).duplicates == Self.events.count)
        try store.close()
    }

    @Test("I2, I3: killed while it makes the views of a cut log, an opening is followed by one that makes them")
    func killedOpening() async throws {
        let place = try TemporaryStore()
        try place.withStore { store in
            try store.record((1...2_000).map { received(ServerMessageID("m\($0)"), at: Int64($0), in: Self.other) })
            try store.record((1...17_000).map { received(ServerMessageID("m\($0)"), at: Int64($0)) })
            try store.record([Event(HistoryCleared(erases: true), in: group), received("new", at: 20_000)])
            let cut = try store.compact().cutEvents
            #expect(cut == 16_999)
            // So that a flush comes at the end of the first part, which is in the gap.
            try store.record((1...300).map { received(ServerMessageID("n\($0)"), at: 30_000 + Int64($0)) })
        }
        try FileManager.default.removeItem(atPath: place.path + "/views")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = place.path as String] in
            try CutTests.openKilled(path)
        }
        try place.withStore { store in
            let (count, isConsistent) = (try store.texts().count, try store.isConsistent())
            #expect(count == 301 && isConsistent)
        }
    }

    private static func openKilled(_ path: String) throws {
        var configuration = MessageStore.Configuration.ofTests
        configuration.bufferBytes = 1
        let store = try MessageStore.open(path, account: TemporaryStore.account, configuration: configuration)
        // The first part is written on another thread, which signals nothing after that; this is a process of its own.
        for _ in 0..<10_000 where try store.statistics().checkpointPosition == .origin { usleep(1_000) }
        let statistics = try store.statistics()
        guard Position(1)..<statistics.replayStart ~= statistics.checkpointPosition else { exit(9) }
        kill(getpid(), SIGKILL)
    }

    @Test(
        "I10: damage of gaps, of what recognises cut events, and of what is owed is reported",
        arguments: [
            "gaps", "cutIdentities", "owed",
        ])
    func damage(table: String) throws {
        let place = try TemporaryStore()
        try place.withStore { store in
            try Self.fill(store)
            try store.record([Event(HistoryCleared(upTo: order(35, "m35"), erases: true), in: group)])
            try store.compact()
            try store.redact(try #require(store.page().elements.last { !$0.isOutgoing }?.id.rawValue).asPosition)
        }
        do {
            let log = try place.environment("log")
            let damaged = try log.openTables([table], create: false)[0]
            try log.write { transaction in
                var cursor = try transaction.cursor(in: damaged)
                guard try cursor.move(.first) else { return }
                let (key, value) = (
                    cursor.key.withUnsafeBytes { [UInt8]($0) }, cursor.storedValue.withUnsafeBytes { [UInt8]($0) }
                )
                let changed = [value[0] ^ 0x40] + value.dropFirst().dropLast(table == "owed" ? 1 : 0)
                try transaction.put(changed.span.bytes, for: key.span.bytes, in: damaged)
            }
        }
        let error = storeError {
            let store = try place.open()
            defer { try? store.close() }
            _ = try store.record(Self.events)
            _ = try store.statistics()
        }
        #expect(error?.code == .logDamaged, "\(String(describing: error))")
    }

    /// Bytes of a row that fit each other, as somebody can make them who knows the format.
    private struct ForgedGap: CustomTestStringConvertible {
        let testDescription: String
        let first, last, cause: UInt64

        var key: [UInt8] { withUnsafeBytes(of: first.bigEndian) { [UInt8]($0) } }

        var value: [UInt8] {
            let numbers = [last, cause].flatMap { number in withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) } }
            let checksum = XXH64.hash(numbers.span.bytes, seed: first)
            return numbers + withUnsafeBytes(of: checksum.littleEndian) { [UInt8]($0) }
        }
    }

    @Test(
        "I10: a gap that no log can have is reported as damage, and salvage goes on without it",
        arguments: [
            ForgedGap(testDescription: "beyond the end", first: 1_000, last: 2_000, cause: 2_001),
            ForgedGap(testDescription: "endless", first: 1_000, last: .max - 2, cause: .max - 1),
            ForgedGap(testDescription: "over another one", first: 3, last: .max / 2 - 2, cause: .max / 2 - 1),
        ])
    private func forged(gap: ForgedGap) throws {
        let place = try TemporaryStore()
        let count = try place.withStore { store in
            try Self.fill(store)
            try store.record([Event(HistoryCleared(upTo: order(35, "m35"), erases: true), in: group)])
            try store.compact()
            return try store.events(limit: .max).count
        }
        do {
            let log = try place.environment("log")
            let gaps = try log.openTables(["gaps"], create: false)[0]
            try log.write { try $0.put(gap.value.span.bytes, for: gap.key.span.bytes, in: gaps) }
        }
        let error = storeError { try place.withStore { _ = try $0.statistics() } }
        #expect(error?.code == .logDamaged, "\(String(describing: error))")
        let isSound = try MessageStore.check(place.path, configuration: .ofTests).isSound
        #expect(!isSound)
        let report = try MessageStore.salvage(place.path, to: place.directory + "/new")
        #expect(report.kept == count)
    }

    @Test(
        "I4, I10: salvage of a damaged log keeps the gaps, and what recognises records that were cut off")
    func salvaged() throws {
        let place = try TemporaryStore()
        let new = place.directory + "/new"
        let (events, base) = try place.withStore { store in
            try Self.fill(store)
            try store.record([Event(HistoryCleared(upTo: order(35, "m35"), erases: true), in: group)])
            try store.compact()
            return (try store.events(limit: .max), try store.statistics().replayStart)
        }
        var file = try DataFile(place.path + "/log/data.mdb")
        for page in 0...1 { file.zero(page: page) }
        try file.write()
        let report = try MessageStore.salvage(place.path, to: new)
        #expect(report.lost.isEmpty && report.kept == events.count)
        let store = try MessageStore.open(new, account: TemporaryStore.account, configuration: place.configuration)
        #expect(try store.events(limit: .max) == events && store.statistics().replayStart == base)
        #expect(try store.record(Self.events).duplicates == Self.events.count)
        #expect(try store.isConsistent())
        try store.close()
        #expect(try MessageStore.check(new, configuration: .ofTests).isSound)
    }

    @Test("I2, I6: killed before any of its commits, a compaction cut everything off or nothing")
    func killed() async throws {
        let place = try TemporaryStore()
        let answers = try place.withStore { store in
            try Self.fill(store)
            try store.record([Event(HistoryCleared(upTo: order(35, "m35"), erases: true), in: group)])
            return try Answers(store)
        }
        var wasComplete = false
        for commit in 1...60 where !wasComplete {
            let copy = place.directory + "/copy-\(commit)"
            try FileManager.default.copyItem(atPath: place.path, toPath: copy)
            let result = await #expect(processExitsWith: .failure) { [copy = copy as String, commit = commit as Int] in
                try CompactionTests.compact(copy, killedBefore: commit)
            }
            wasComplete = result?.exitStatus == .exitCode(7)
            try Self.check(copy, place.configuration, answers)
            try FileManager.default.removeItem(atPath: copy)
        }
        #expect(wasComplete, "it was let through to its end")
    }

    private static func check(
        _ path: String, _ configuration: MessageStore.Configuration, _ answers: Answers
    ) throws {
        let store = try MessageStore.open(path, account: TemporaryStore.account, configuration: configuration)
        #expect(try [0, 70].contains(store.statistics().cutEvents))
        #expect(try Answers(store) == answers && store.isConsistent())
        #expect(try store.record(events).duplicates == events.count)
        #expect(try store.compact().isErasureComplete && store.statistics().cutEvents == 70)
        #expect(try Answers(store) == answers && store.isConsistent())
        try store.close()
    }
}

extension UInt64 {
    fileprivate var asPosition: Position { Position(self) }
}
