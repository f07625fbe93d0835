import Foundation
import MessageStore
import MessageStoreSharing
import MessageStoreLog
import Testing
@testable import MessageStoreTestSupport

@Suite("Events that other processes hand over", .timeLimit(.minutes(30)))
struct InboxTests {
    private let place: TemporaryStore
    private var path: String { place.directory + "/inbox" }
    private var inbox: Inbox { Inbox(at: path, account: TemporaryStore.account, key: TemporaryStore.key) }

    init() throws { place = try TemporaryStore() }

    /// A store that looks into the inbox when it is asked to.
    private func openQuietly() throws -> MessageStore {
        try place.open {
            $0.processes.inboxPath = path
            $0.clock = ManualClock()
        }
    }

    private func waiting() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/new").sorted()
    }

    @Test("what was handed over while the store was closed is recorded by the next opening, in order")
    func whileClosed() async throws {
        for number in 1...20 { try inbox.handOver([received("m\(number)", at: Int64(number))]) }
        let store = try openQuietly()
        try await store.drainInbox()
        let recorded = try await store.events().compactMap { $0.event.payload as? MessageReceived }
        #expect(recorded.map(\.serverID.rawValue) == (1...20).map { "m\($0)" })
        #expect(try waiting().isEmpty)
        try await store.close()
    }

    @Test("a live query shows what is handed over while the store is open")
    func whileOpen() async throws {
        let store = try place.open { $0.processes.inboxPath = path }
        let counts = Follower(store.observe { try $0.unreadTotals().messages })
        #expect(try await counts.next() == 0)
        try inbox.handOver([received("a", at: 1)])
        #expect(try await counts.next() == 1)
        try inbox.handOver([received("b", at: 2), received("c", at: 3)])
        #expect(try await counts.next() == 3)
        try await store.close()
    }

    @Test("the events of one file are one commit")
    func oneCommit() throws {
        try inbox.handOver((1...5).map { received("m\($0)", at: Int64($0)) })
        let store = try openQuietly()
        let report = try store.drainInbox()
        // Opening may have been faster.
        #expect(report.rejected == 0)
        #expect(Set(try store.events().map(\.commit)) == [Position(1)])
        try store.close()
    }

    @Test("I4, I18: a file that is recorded again changes nothing, also where its events have no id")
    func again() throws {
        let events = [
            received("m", at: 1), Event(ConversationMuted(true), in: group, origin: .otherDevice),
            Event(ConversationPinned(true), in: group, origin: .otherDevice),
        ]
        try inbox.handOver(events)
        let name = try #require(try waiting().first)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path + "/new/" + name))
        let store = try openQuietly()
        try store.drainInbox()
        let digests = try store.digests()
        #expect(try store.lastPosition() == Position(3))
        for _ in 0..<3 {
            try put(String(decoding: bytes, as: UTF8.self), as: name)
            let report = try store.drainInbox()
            #expect(report.events == 0)
            #expect(try store.lastPosition() == Position(3))
            #expect(try store.digests() == digests)
        }
        #expect(try waiting().isEmpty)
        try store.close()
    }

    @Test("two files with equal settings are two choices")
    func equalSettings() throws {
        for isMuted in [true, false, true] {
            try inbox.handOver([Event(ConversationMuted(isMuted), in: group, origin: .otherDevice)])
        }
        let store = try openQuietly()
        try store.drainInbox()
        #expect(try store.lastPosition() == Position(3))
        #expect(try store.read { try $0.conversation(group)?.isMuted } == true)
        try store.close()
    }

    @Test("the reasons for which a file is refused hold nothing of its content, and the other files are recorded")
    func refused() throws {
        let good = try InboxFile.encode([received("good", at: 1)], for: TemporaryStore.account)
        let text = String(decoding: good, as: UTF8.self)
        let cases: [(content: String, reason: String)] = [
            ("", "cut short"),
            ("{}", "cut short"),
            ("{}\n", "cut short"),
            (String(text.dropLast()), "cut short"),
            (text + "secret\n", "trailer"),
            (text.replacingOccurrences(of: "good", with: "evil"), "digest"),
            (signed(#"{"format":"other","formatVersion":1,"account":"me","events":0}"#), "header"),
            (signed("secret"), "header"),
            (signed(#"{"format":"messagestore-inbox","formatVersion":2,"account":"me","events":0}"#), "format 2"),
            (signed(#"{"format":"messagestore-inbox","formatVersion":1,"account":"you","events":0}"#), "account"),
            (signed(#"{"format":"messagestore-inbox","formatVersion":1,"account":"me","events":1}"#), "counts"),
            (signed(header(1), "secret"), "line 2"),
            (signed(header(1), ""), "line 2"),
            (signed(header(1), #"{"type":"com.example.secret","payload":{}}"#), "line 2"),
            (signed(header(1), String(repeating: "[", count: 100_000)), "line 2"),
            (signed(header(1), "\0\0\0\0"), "line 2"),
            (
                signed(header(1), #"{"type":"ConversationMuted","payload":{"isMuted":true}}"#),
                "invalidArgument"
            ),
        ]
        try inbox.handOver([received("first", at: 1)])
        let store = try openQuietly()
        for (index, (content, _)) in cases.enumerated() {
            try put(content, as: name(index))
        }
        try inbox.handOver([received("last", at: 1)])
        try store.drainInbox()
        for (index, (_, reason)) in cases.enumerated() {
            let noted = try String(contentsOfFile: path + "/bad/" + name(index) + ".reason", encoding: .utf8)
            #expect(noted.contains(reason), "\(index): \(noted)")
            #expect(!noted.contains("secret") && !noted.contains("evil"))
        }
        #expect(try Set(store.texts()) == ["first", "last"])
        #expect(try store.statistics().inbox?.rejectedFiles == cases.count)
        #expect(try waiting().isEmpty)
        try store.close()
    }

    @Test("links, pipes, directories, foreign names and files that are too large are put aside")
    func things() throws {
        try inbox.handOver([received("a", at: 1)])
        let store = try openQuietly()
        try store.drainInbox()
        let (files, new) = (FileManager.default, path + "/new/")
        let secret = place.directory + "/secret"
        try "secret".write(toFile: secret, atomically: false, encoding: .utf8)
        try files.createSymbolicLink(atPath: new + name(1), withDestinationPath: secret)
        try files.linkItem(atPath: secret, toPath: new + name(2))
        try files.createDirectory(atPath: new + name(3), withIntermediateDirectories: false)
        #expect(mkfifo(new + name(4), 0o600) == 0)
        try "x".write(toFile: new + "other name 消息", atomically: false, encoding: .utf8)
        #expect(files.createFile(atPath: path + "/tmp/large", contents: nil))
        #expect(truncate(path + "/tmp/large", 1 << 40) == 0)
        try files.moveItem(atPath: path + "/tmp/large", toPath: new + name(5))
        try store.drainInbox()
        #expect(try waiting().isEmpty)
        #expect(try store.statistics().inbox?.rejectedFiles == 6)
        #expect(try String(contentsOfFile: secret, encoding: .utf8) == "secret")
        #expect(try store.texts() == ["a"])
        try store.close()
    }

    @Test("an inbox takes no more than its limits, and says so")
    func limits() throws {
        var limits = Inbox.Limits()
        limits.files = 3
        let few = Inbox(at: path, account: TemporaryStore.account, limits: limits, key: TemporaryStore.key)
        for number in 0..<3 { try few.handOver([received("\(number)", at: 1)]) }
        expectError(.inboxFull) { try few.handOver([received("3", at: 1)]) }
        (limits.files, limits.bytes) = (100, 1000)
        let small = Inbox(at: path, account: TemporaryStore.account, limits: limits, key: TemporaryStore.key)
        expectError(.inboxFull) { try small.handOver([received("3", at: 1)]) }
        #expect(try waiting().count == 3)
        let store = try openQuietly()
        try store.drainInbox()
        try few.handOver([received("3", at: 1)])
        try store.drainInbox()
        #expect(try store.lastPosition() == Position(4))
        try store.close()
    }

    @Test("what breaks a rule is refused where it is handed over")
    func invalid() throws {
        expectError(.invalidArgument) { try inbox.handOver([Event(any: ConversationMuted(true))]) }
        expectError(.invalidArgument) {
            try Inbox(at: "", account: "me", key: TemporaryStore.key).handOver([received("a", at: 1)])
        }
        expectError(.invalidArgument) {
            try Inbox(at: place.directory + "/none/inbox", account: "me", key: TemporaryStore.key).handOver([
                received("a", at: 1)
            ])
        }
        expectError(.invalidArgument) {
            try Inbox(at: path, account: "", key: TemporaryStore.key).handOver([received("a", at: 1)])
        }
        let large = String(repeating: "长", count: 3 << 20)
        expectError(.invalidArgument) {
            try inbox.handOver([received("a", at: 1, text: large), received("b", at: 2, text: large)])
        }
        try inbox.handOver([])
        #expect(!FileManager.default.fileExists(atPath: path))
        try "x".write(toFile: path, atomically: false, encoding: .utf8)
        expectError(.notAStore) { try inbox.handOver([received("a", at: 1)]) }
    }

    @Test("an erasure takes what waits, and what was rejected")
    func erasure() throws {
        try inbox.handOver([received("a", at: 1)])
        let store = try openQuietly()
        try store.drainInbox()
        try put("secret", as: name(1))
        try store.drainInbox()
        #expect(try store.statistics().inbox?.rejectedFiles == 1)
        try inbox.handOver([received("b", at: 2)])
        try store.erase(.conversations([group]))
        #expect(try store.texts().allSatisfy { $0.isEmpty })
        #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/bad").isEmpty)
        #expect(try waiting().isEmpty)
        try store.close()
    }

    @Test("a changed file is recorded as it was, or rejected", arguments: 0..<8)
    func fuzz(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let events = [
            received("a", at: 1, text: "你好"), Event(ConversationMuted(true), in: group, origin: .otherDevice),
        ]
        let bytes = try InboxFile.encode(events, for: TemporaryStore.account)
        for _ in 0..<500 {
            var changed = bytes
            for _ in 0...random.nextIndex(3) {
                let place = random.nextIndex(changed.count)
                switch random.nextIndex(3) {
                case 0: changed[place] = UInt8(random.nextIndex(256))
                case 1: changed.remove(at: place)
                default: changed.insert(changed[random.nextIndex(changed.count)], at: place)
                }
            }
            let decoded = try? InboxFile.decode(changed, for: TemporaryStore.account, types: .builtIn)
            #expect(decoded == nil || changed == bytes || decoded == events)
        }
    }

    @Test("a file that cannot be read or moved keeps nobody waiting, not even an erasure")
    func stuck() throws {
        try inbox.handOver([received("a", at: 1)])
        let store = try openQuietly()
        try store.drainInbox()
        let files = FileManager.default
        // A directory that is no place for rejected files.
        try files.removeItem(atPath: path + "/bad")
        try put("secret", as: name(1))
        try files.createDirectory(atPath: path + "/tmp/x", withIntermediateDirectories: false)
        try inbox.handOver([received("b", at: 2)])
        try store.drainInbox()
        #expect(try store.texts() == ["a", "b"])
        try files.removeItem(atPath: path + "/bad")
        try "x".write(toFile: path + "/bad", atomically: false, encoding: .utf8)
        expectError(.notAStore) { try store.drainInbox() }
        try files.createDirectory(atPath: path + "/tmp/old", withIntermediateDirectories: false)
        try store.erase(.conversations([group]))
        #expect(files.fileExists(atPath: path + "/tmp/old"))
        try store.close()
    }

    #if os(Linux)
    @Test("a file with a name that is not UTF-8 is not the inbox's: it counts nowhere, and stays")
    func namesThatAreNotText() throws {
        try inbox.handOver([received("a", at: 1)])
        let name = (path + "/new/").utf8.map { CChar(bitPattern: $0) } + [-1, 65, 0]
        let file = open(name, O_CREAT | O_WRONLY, 0o600)
        try #require(file >= 0)
        close(file)
        let store = try openQuietly()
        try store.drainInbox()
        let inbox = try #require(try store.statistics().inbox)
        #expect(inbox.waitingFiles == 0 && inbox.rejectedFiles == 0)
        #expect(access(name, F_OK) == 0)
        #expect(try store.texts() == ["a"])
        try store.close()
    }
    #endif

    @Test("files beyond any size are counted, and no more are taken")
    func enormous() throws {
        try inbox.handOver([received("a", at: 1)])
        for number in 1...3 {
            #expect(FileManager.default.createFile(atPath: path + "/new/" + name(number), contents: nil))
            _ = truncate(path + "/new/" + name(number), .max)
        }
        _ = try? inbox.handOver([received("b", at: 2)])
        let store = try openQuietly()
        try store.drainInbox()
        #expect(try store.statistics().inbox?.waitingFiles == 0)
        try store.close()
    }

    @Test("the inbox needs a store that is open for writing and names it")
    func configuration() throws {
        let store = try place.open()
        expectError(.invalidArgument) { try store.drainInbox() }
        #expect(try store.statistics().inbox == nil)
        try store.close()
        expectError(.closed) { try store.drainInbox() }
        let reader = try place.openReadOnly { $0.processes.inboxPath = path }
        expectError(.readOnly) { try reader.drainInbox() }
        #expect(try reader.statistics().inbox?.waitingFiles == 0)
        try reader.close()
    }

    /// Puts a file into the inbox in one step, as another program could.
    private func put(_ content: String, as name: String) throws {
        try content.write(toFile: path + "/tmp/" + name, atomically: false, encoding: .utf8)
        try FileManager.default.moveItem(atPath: path + "/tmp/" + name, toPath: path + "/new/" + name)
    }

    private func name(_ number: Int) -> String {
        String(format: "%016x-%08x-%016x-%08x", number, 1, number, number)
    }

    private func header(_ events: Int) -> String {
        #"{"format":"messagestore-inbox","formatVersion":1,"account":"me","events":\#(events)}"#
    }

    /// A file of these lines with a trailer that agrees with them.
    private func signed(_ lines: String...) -> String {
        let text = lines.map { $0 + "\n" }.joined()
        let digits = String(XXH64.hash(text), radix: 16)
        return text + #"{"digest":"\#(String(repeating: "0", count: 16 - digits.count) + digits)"}"# + "\n"
    }
}
