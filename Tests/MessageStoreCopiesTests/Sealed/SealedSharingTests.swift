import Foundation
import MessageStore
import MessageStoreSharing
import Testing

@testable import MessageStoreTestSupport

@Suite(
    "Sealed lenses and inboxes with bytes of others and changed bits", .enabled(if: TemporaryStore.canSeal),
    .timeLimit(.minutes(30)))
struct SealedSharingTests {
    private static let key = KeySource { [UInt8](repeating: 23, count: 32) }
    private static let otherKey = KeySource { [UInt8](repeating: 24, count: 32) }

    private static func read(_ path: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private static func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// The file with another bit: anywhere, or of the sealed bytes and with a checksum that is right.
    private static func changed(_ bytes: [UInt8], isForged: Bool, _ random: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        let start = isForged ? WholeFile.sealedStart : 0
        bytes[start + random.nextIndex(bytes.count - start)] ^= 1 << UInt8(random.nextIndex(8))
        return isForged ? WholeFile.withChecksum(bytes) : bytes
    }

    /// Makes a store with a lens.
    private static func makeLens(_ key: KeySource) throws -> (place: TemporaryStore, path: String) {
        let place = try TemporaryStore()
        let path = place.directory + "/lens"
        let store = try place.open {
            $0.privacy.key = key
            $0.processes.lens = LensConfiguration(path: path)
        }
        try store.record([received("m1", at: 10), created("name")])
        try store.close()
        return (place, path)
    }

    @Test("a lens with a changed bit or without its end is damaged, and one of another key or a forged one is refused")
    func lens() throws {
        let (place, path) = try Self.makeLens(Self.key)
        let (otherPlace, otherPath) = try Self.makeLens(Self.otherKey)
        let bytes = try Self.read(path)
        #expect(try Lens(at: path, key: Self.key).conversation(group)?.displayName == "name")
        var random = SplitMix64(seed: 41)
        for _ in 0..<TestSize.of(plain: 100, full: 2000) {
            try Self.write(Self.changed(bytes, isForged: false, &random), path)
            expectError(.lensDamaged) { _ = try Lens(at: path, key: Self.key) }
            try Self.write(Self.changed(bytes, isForged: true, &random), path)
            expectError(.keyRefused) { _ = try Lens(at: path, key: Self.key) }
            try Self.write(Array(bytes.prefix(random.nextIndex(bytes.count))), path)
            expectError(.lensDamaged) { _ = try Lens(at: path, key: Self.key) }
        }
        try Self.write(Self.read(otherPath), path)
        expectError(.keyRefused) { _ = try Lens(at: path, key: Self.key) }
        // The next change, or the end of the store, writes it again.
        let store = try place.open {
            $0.privacy.key = Self.key
            $0.processes.lens = LensConfiguration(path: path)
        }
        try store.close()
        #expect(try Lens(at: path, key: Self.key).conversation(group)?.displayName == "name")
        withExtendedLifetime(otherPlace) {}
    }

    @Test("a lens of another store, which has a key of its own, is refused")
    func exchangedLens() throws {
        let (place, path) = try Self.makeLens(Self.key)
        let (otherPlace, otherPath) = try Self.makeLens(Self.otherKey)
        try Self.write(Self.read(otherPath), path)
        expectError(.keyRefused) { _ = try Lens(at: path, key: Self.key) }
        withExtendedLifetime((place, otherPlace)) {}
    }
}

extension SealedSharingTests {
    private static let account = TemporaryStore.account

    /// The file by which an event is handed over.
    private static func file(
        of event: Event = received("m1", at: 10), for account: UserID = account, _ key: KeySource = key
    ) throws -> (name: String, bytes: [UInt8]) {
        let place = try TemporaryStore()
        try Inbox(at: place.directory + "/inbox", account: account, key: key).handOver([event])
        let new = place.directory + "/inbox/new"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: new).first)
        return (name, try read(new + "/" + name))
    }

    /// A store with files in its inbox, and what became of them.
    private struct Drained {
        let place = try? TemporaryStore()
        var events: [Event] = []
        var waiting = 0
        var rejected = 0
        var code: StoreError.Code?
        /// The files next to those that were rejected, which have the reasons.
        var reasons: [String] = []

        init(_ files: [String: [UInt8]], after first: [Event] = []) throws {
            let place = try #require(place)
            let inbox = place.directory + "/inbox"
            try FileManager.default.createDirectory(atPath: inbox + "/new", withIntermediateDirectories: true)
            for (name, bytes) in files { try SealedSharingTests.write(bytes, inbox + "/new/" + name) }
            if !first.isEmpty {
                let store = try place.open { $0.privacy.key = SealedSharingTests.key }
                try store.record(first)
                try store.close()
            }
            let store = try place.open {
                $0.privacy.key = SealedSharingTests.key
                $0.processes.inboxPath = inbox
            }
            do { try store.drainInbox() } catch let error as StoreError { code = error.code }
            events = try store.events(limit: .max).dropFirst(first.count).map(\.event)
            let statistics = try #require(try store.statistics().inbox)
            (waiting, rejected) = (statistics.waitingFiles, statistics.rejectedFiles)
            try store.close()
            let bad = try FileManager.default.contentsOfDirectory(atPath: inbox + "/bad")
            reasons = try bad.filter { $0.hasSuffix(".reason") }.map {
                String(decoding: try SealedSharingTests.read(inbox + "/bad/" + $0), as: UTF8.self)
            }
        }

        func expect(
            events: Int, waiting: Int = 0, rejected: Int = 0, code: StoreError.Code? = nil, _ what: Comment
        ) {
            let isAsWanted =
                self.events.count == events && self.waiting == waiting && self.rejected == rejected && self.code == code
            #expect(isAsWanted, what)
        }
    }

    @Test("a file with a changed bit or of another account is rejected, a forged one or one of another key waits")
    func inbox() throws {
        let (name, bytes) = try Self.file()
        try Drained([name: bytes]).expect(events: 1, "unchanged")
        var random = SplitMix64(seed: 42)
        for number in 0..<TestSize.of(plain: 8, full: 100) {
            try Drained([name: Self.changed(bytes, isForged: false, &random)])
                .expect(events: 0, rejected: 1, "a bit, \(number)")
            try Drained([name: Self.changed(bytes, isForged: true, &random)])
                .expect(events: 0, waiting: 1, code: .keyRefused, "a forged bit, \(number)")
            try Drained([name: Array(bytes.prefix(random.nextIndex(bytes.count)))])
                .expect(events: 0, rejected: 1, "cut off, \(number)")
        }
        let others = (try Self.file(for: "eve"), try Self.file(of: received("m1", at: 10), Self.otherKey))
        try Drained([others.0.name: others.0.bytes]).expect(events: 0, rejected: 1, "another account")
        try Drained([others.1.name: others.1.bytes])
            .expect(events: 0, waiting: 1, code: .keyRefused, "another key")
        // One that waits keeps no other waiting.
        let both = try Drained([name: bytes, others.1.name: others.1.bytes])
        both.expect(events: 1, waiting: 1, code: .keyRefused, "another key before or after")
    }

    @Test("a file that is moved to another name records nothing more")
    func movedFile() throws {
        let (name, bytes) = try Self.file(of: Event(ConversationDraftChanged("draft"), in: group))
        let (otherName, _) = try Self.file()
        try Drained([name: bytes, otherName: bytes]).expect(events: 1, waiting: 1, code: .keyRefused, "two names")
    }

    @Test("the reason of a rejected file, which is clear, names nobody")
    func reason() throws {
        let word = "Qz4rejectedZq4"
        let place = ConversationKey.group(word)
        let again = Event(
            MessageSendQueued(content: .text("other words"), clientToken: "token"), in: place, origin: .local)
        let (name, bytes) = try Self.file(of: again)
        let first = Event(MessageSendQueued(content: .text("words"), clientToken: "token"), in: place, origin: .local)
        let drained = try Drained([name: bytes], after: [first])
        drained.expect(events: 0, rejected: 1, "a token that is used again")
        #expect(drained.reasons.allSatisfy { !$0.contains(word) })
    }
}
