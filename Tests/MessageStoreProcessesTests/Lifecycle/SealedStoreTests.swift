import Foundation
import MessageStore
import MessageStoreLMDB
import MessageStoreSharing
import Testing
@testable import MessageStoreTestSupport

@Suite("Sealed stores", .enabled(if: TemporaryStore.canSeal), .timeLimit(.minutes(30)))
struct SealedStoreTests {
    private struct NotUnlocked: Error {}

    private static let key = KeySource { [UInt8](repeating: 3, count: 32) }
    private static let other = KeySource { [UInt8](repeating: 4, count: 32) }
    private static let secret = "SECRET"
    private static let group = ConversationKey.group("g-SECRET")

    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    private func open(_ key: KeySource? = key) throws -> MessageStore { try place.open { $0.privacy.key = key } }

    /// Events with a secret in what they say and in what they name.
    private static func events(_ number: Int) -> [Event] {
        let user = UserID("u-\(secret)-\(number % 5)")
        let id = ServerMessageID("s-\(number)")
        let time = Timestamp(milliseconds: Int64(1_700_000_000_000 + number))
        let attributes = Array(#"{"k\#(secret)":"v\#(secret)","n\#(secret)":7}"#.utf8)
        let text = MessageContent(type: ContentType("type-\(secret)"), text: "\(secret) 你好 \(number)")
        return [
            .received(id, from: user, in: group, at: time, content: text),
            Event(ConversationDraftChanged("draft \(secret)"), in: .single("other-\(secret)")),
            Event(ConversationCreated(.init(name: "name \(secret)", attributes: attributes)), in: group),
            Event(ProfilesFetched([Profile(id: user, name: "name \(secret)")])),
            Event(MembersAdded([user], kind: .invited), in: group),
            Event(MemberInfoChanged(user, nickname: "nick \(secret)"), in: group),
            Event(ConversationTagged(add: ["tag-\(secret)"]), in: group),
            Event(ReactionAdded(.server(id), key: "\(secret)👍", by: user, at: time), in: group),
        ]
    }

    /// The files below a directory, with their bytes.
    private func files(below path: String? = nil) throws -> [String: Data] {
        let path = path ?? place.path
        var files: [String: Data] = [:]
        for name in FileManager.default.enumerator(atPath: path)?.compactMap({ $0 as? String }) ?? [] {
            if let data = FileManager.default.contents(atPath: path + "/" + name) { files[name] = data }
        }
        return files
    }

    private func filesWithSecret(_ secret: String = secret) throws -> Set<String> {
        try Set(files(below: place.directory).filter { $0.value.range(of: Data(secret.utf8)) != nil }.keys)
    }

    @Test(
        "words, names and ids are in no file at any moment, and the store answers; without a key they are",
        arguments: [true, false])
    func secrets(isSealed: Bool) throws {
        var found: Set<String> = []
        let store = try open(isSealed ? Self.key : nil)
        for number in 0..<40 {
            try store.record(Self.events(number))
            if number % 9 == 4 { found.formUnion(try filesWithSecret()) }
            if number % 13 == 5 { try store.flush() }
        }
        found.formUnion(try filesWithSecret())
        try store.rebuild()
        found.formUnion(try filesWithSecret())
        try store.compact()
        found.formUnion(try filesWithSecret())
        try store.backup(to: place.directory + "/backup")
        try store.writeSegment(after: Position(20), to: place.directory + "/segment")
        found.formUnion(try filesWithSecret())
        let answer = try store.read { views in
            let details = try views.reactions(to: .server("s-3"), in: Self.group)
            return (
                try views.conversation(Self.group)?.displayName, try views.profile("u-SECRET-1").info.name,
                try views.conversations().elements.count, details.count
            )
        }
        #expect(answer.0 == "name SECRET" && answer.1 == "name SECRET" && answer.2 == 2 && answer.3 == 1)
        try store.close()
        found.formUnion(try filesWithSecret())
        #expect(found.isEmpty == isSealed)
        let identity = try #require(try files()["identity.json"])
        #expect((identity.range(of: Data("\"me\"".utf8)) == nil) == isSealed)
    }

    @Test("a missing, another and a short key are errors, and the directory is byte for byte as it was")
    func refusals() throws {
        let store = try open()
        try store.record(Self.events(0))
        try store.close()
        let before = try files()
        let short = KeySource { [1, 2, 3] }
        let locked = KeySource { throw NotUnlocked() }
        for (key, code) in [
            (nil, .keyUnavailable), (Self.other, .keyRefused), (short, .keyRefused), (locked, .keyUnavailable),
        ]
            as [(KeySource?, StoreError.Code)]
        {
            expectError(code) { _ = try open(key) }
            expectError(code) { _ = try place.openReadOnly { $0.privacy.key = key } }
            expectError(code) { _ = try MessageStore.account(ofStoreAt: place.path, key: key) }
            expectError(code) {
                try MessageStore.restoreBackup(from: place.path, to: place.directory + "/new", key: key)
            }
        }
        #expect(try files() == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory) == ["store"])
        #expect(try MessageStore.account(ofStoreAt: place.path, key: Self.key) == TemporaryStore.account)
        expectError(.accountMismatch) { _ = try place.open(account: "eve") { $0.privacy.key = Self.key } }
        #expect(try files() == before)
        try open().close()
    }

    @Test("a store that is not sealed refuses a key")
    func clearStore() throws {
        try open(nil).close()
        let before = try files()
        expectError(.keyRefused) { _ = try open() }
        #expect(try files() == before)
        expectError(.keyUnavailable) {
            _ = try TemporaryStore().open { $0.privacy.key = KeySource { throw NotUnlocked() } }
        }
    }

    @Test("the key is asked for again when a store is resumed, and the store stays suspended without it")
    func suspension() throws {
        let isLocked = Locked(false)
        let store = try open(
            KeySource {
                if isLocked.withLock({ $0 }) { throw NotUnlocked() }
                return [UInt8](repeating: 3, count: 32)
            })
        try store.record(Self.events(0))
        try store.suspend()
        isLocked.withLock { $0 = true }
        expectError(.keyUnavailable) { try store.resume() }
        expectError(.suspended) { _ = try store.lastPosition() }
        isLocked.withLock { $0 = false }
        try store.resume()
        #expect(try store.lastPosition() == Position(8))
        try store.close()
    }

    @Test("another key of the host takes the place of the first, and nothing but the file of the keys changes")
    func changedKey() throws {
        let store = try open()
        try store.record(Self.events(0))
        expectError(.alreadyOpen) { try MessageStore.changeKey(ofStoreAt: place.path, from: Self.key, to: Self.other) }
        try store.close()
        let before = try files()
        expectError(.keyRefused) { try MessageStore.changeKey(ofStoreAt: place.path, from: Self.other, to: Self.key) }
        #expect(try files() == before)
        try MessageStore.changeKey(ofStoreAt: place.path, from: Self.key, to: Self.other)
        let changed = try Set(files().filter { before[$0.key] != $0.value }.keys)
        #expect(changed.subtracting(["writer.lock"]) == ["log/keys.json"])
        expectError(.keyRefused) { _ = try open() }
        let opened = try open(Self.other)
        #expect(try opened.lastPosition() == Position(8))
        try opened.close()
        expectError(.keyRefused) { _ = try open() }
    }

    @Test("each byte of the file of the keys that is changed is damage or another key, and loses nothing")
    func damagedKeys() throws {
        try open().close()
        let file = place.path + "/log/keys.json"
        let original = try #require(FileManager.default.contents(atPath: file))
        for index in original.indices {
            var damaged = original
            damaged[index] ^= 1
            try damaged.write(to: URL(fileURLWithPath: file))
            expectError(.logDamaged) { _ = try open() }
        }
        // A check reports it, as all damage.
        var configuration = place.configuration
        configuration.privacy.key = Self.key
        let findings = try MessageStore.check(place.path, configuration: configuration).findings
        #expect(findings.map(\.file) == ["log/keys.json"])
        try FileManager.default.removeItem(atPath: file)
        expectError(.logDamaged) { _ = try open() }
        try original.write(to: URL(fileURLWithPath: file))
        try open().close()
    }

    @Test("a backup with a segment is restored under the key, and is a store with keys of its own")
    func backup() throws {
        let store = try open()
        try store.record(Self.events(0))
        try store.backup(to: place.directory + "/backup")
        try store.record(Self.events(1))
        try store.writeSegment(after: Position(8), to: place.directory + "/segment")
        try store.close()
        let (backup, segment, path) = (
            place.directory + "/backup", place.directory + "/segment", place.directory + "/new"
        )
        expectError(.keyRefused) {
            try MessageStore.restoreBackup(from: backup, segments: [segment], to: path, key: Self.other)
        }
        let last = try MessageStore.restoreBackup(from: backup, segments: [segment], to: path, key: Self.key)
        #expect(last == Position(16))
        let keys = try [place.path, backup, path].map {
            try #require(FileManager.default.contents(atPath: $0 + "/log/keys.json"))
        }
        #expect(Set(keys).count == 3)
        var configuration = place.configuration
        configuration.privacy.key = Self.key
        let restored = try MessageStore.open(path, account: TemporaryStore.account, configuration: configuration)
        #expect(try restored.read { try $0.conversation(Self.group)?.displayName } == "name SECRET")
        try restored.close()
        // A clear store takes no sealed segment.
        let clear = try TemporaryStore()
        try clear.open { $0.privacy.key = nil }.close()
        expectError(.keyUnavailable) {
            try MessageStore.restoreBackup(from: clear.path, segments: [segment], to: clear.directory + "/new")
        }
    }

    @Test("an inbox and a lens are sealed under the host's key; without it files wait and nothing is lost")
    func otherProcesses() throws {
        let (inboxPath, lensPath) = (place.directory + "/inbox", place.directory + "/lens")
        let message = Event.received(
            "m1", from: "u-SECRET", in: Self.group, at: Timestamp(milliseconds: 1_700_000_000_000),
            content: .text("SECRET"))
        let inbox = Inbox(at: inboxPath, account: TemporaryStore.account, key: Self.key)
        try inbox.handOver([message])
        #expect(try filesWithSecret().isEmpty)
        #expect(try inbox.waiting().messageCounts == [Self.group: 1])
        expectError(.keyRefused) {
            _ = try Inbox(at: inboxPath, account: TemporaryStore.account, key: Self.other).waiting()
        }
        expectError(.keyUnavailable) { _ = try Inbox(at: inboxPath, account: TemporaryStore.account).waiting() }
        let foreign = Inbox(at: inboxPath, account: TemporaryStore.account, key: Self.other)
        try foreign.handOver([
            .received(
                "m2", from: "u", in: Self.group, at: Timestamp(milliseconds: 1_700_000_000_001), content: .text("x"))
        ])
        let store = try place.open {
            ($0.privacy.key, $0.processes.inboxPath) = (Self.key, inboxPath)
            $0.processes.lens = LensConfiguration(path: lensPath)
        }
        // The file under another key waits.
        expectError(.keyRefused) { try store.drainInbox() }
        #expect(try store.statistics().inbox?.waitingFiles == 1 && store.statistics().inbox?.rejectedFiles == 0)
        #expect(try store.read { try $0.conversation(Self.group)?.unread.messages } == 1)
        try store.close()
        #expect(try filesWithSecret().isEmpty)
        #expect(try Lens(at: lensPath, key: Self.key).conversation(Self.group)?.unreadMessages == 1)
        expectError(.keyUnavailable) { _ = try Lens(at: lensPath) }
        expectError(.keyRefused) { _ = try Lens(at: lensPath, key: Self.other) }
        // One changed byte is damage of the lens, whatever the key.
        var bytes = try #require(FileManager.default.contents(atPath: lensPath))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(fileURLWithPath: lensPath))
        expectError(.lensDamaged) { _ = try Lens(at: lensPath, key: Self.key) }
    }

    @Test("no nonce comes twice under a key: not after openings, kills, compactions, rebuilds and a directory set back")
    func nonces() throws {
        let ledger = NonceLedger()
        let earlier = place.directory + "/earlier"
        func copy(_ from: String, _ to: String) throws {
            try? FileManager.default.removeItem(atPath: to)
            try FileManager.default.copyItem(atPath: from, toPath: to)
        }
        for round in 0..<30 {
            let store = try open(ledger.source(3))
            try store.record(Self.events(round))
            switch round % 5 {
            case 0:
                try store.flush()
                try copy(place.path, earlier)
            case 1: try store.compact()
            case 2: try store.rebuild()
            case 3:
                try store.suspend()
                try store.resume()
                try store.record(Self.events(round + 100))
                try store.backup(to: place.directory + "/backup-\(round)")
            default: break
            }
            try store.close()
            // As a kill leaves it: later events are lost.
            if round % 5 == 4 { try copy(earlier, place.path) }
        }
        #expect(ledger.repeats == 0)
        #expect(ledger.keys > 100 && ledger.seals > 1_000, "the list sees the seals")
    }
}
