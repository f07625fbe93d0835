import MessageStore
import MessageStoreMigration
import MessageStoreTestKit
import Testing

@Suite("Rows of a migration", .timeLimit(.minutes(30)))
struct MigratedRowTests {
    private let place: TemporaryStore
    private let store: MessageStore
    private let bob = ConversationKey.single("bob")

    init() throws {
        place = try TemporaryStore()
        store = try place.open()
    }

    private func message(_ id: String, _ time: Int, from sender: UserID = "bob", text: String = "old") -> OldRow {
        .message(
            OldMessage(
                in: bob, from: sender, at: OldRows.time(time * 2), content: .text(text),
                serverID: ServerMessageID(id)))
    }

    private func changed<Value>(_ row: OldRow, _ path: WritableKeyPath<OldMessage, Value>, _ value: Value) -> OldRow {
        guard case .message(var message) = row else { return row }
        message[keyPath: path] = value
        return .message(message)
    }

    private func conversation(_ change: (inout OldConversation) -> Void) -> OldRow {
        var row = OldConversation(bob)
        change(&row)
        return .conversation(row)
    }

    private var texts: [String?] {
        get throws { try store.read { try $0.timeline(of: bob).elements.map(\.text) } }
    }

    @Test("a conversation without messages is listed, with its settings and draft")
    func empty() throws {
        let row = conversation {
            ($0.fields.name, $0.draft, $0.draftTime) = ("Bob", "hi", OldRows.time(4))
            ($0.isPinned, $0.isMuted, $0.isArchived, $0.isMarkedUnread) = (true, true, true, true)
        }
        let report = try store.migrate([row])
        #expect(report.isComplete && report.conversations.count == 1)
        let bob = try #require(try store.read { try $0.conversations(archived: .included).elements.first })
        #expect(bob.name == "Bob" && bob.draft == "hi" && bob.draftTime == OldRows.time(4))
        let activity = bob.activity
        #expect(activity == OldRows.time(4), "the draft's time, not the one of the migration")
        #expect(bob.isPinned && bob.isMuted && bob.isArchived && bob.unread.isMarkedUnread)
        let plain = try store.migrate([.conversation(OldConversation(.group("plain")))])
        #expect(plain.isComplete)
        let listed = try store.read { try $0.conversation(.group("plain")) }
        #expect(listed != nil)
    }

    @Test("messages before their conversation are read, and its number holds")
    func early() throws {
        var badges: [Int] = []
        let rows = [message("m1", 1), message("m2", 2), conversation { $0.unreadCount = 1 }, message("m3", 3)]
        let report = try store.migrate(rows, packageSize: 1) { _ in badges.append(try store.badge) }
        #expect(badges == [0, 0, 1, 1, 1] && report.isComplete, "\(badges)")
        let first = try store.read { try $0.firstUnread(in: bob) }
        #expect(first?.serverID == "m3")
    }

    @Test("a number of which the rows do not show the messages holds as a number")
    func number() throws {
        let report = try store.migrate([conversation { $0.unreadCount = 5 }, message("m1", 1)])
        #expect(try store.badge == 5)
        #expect(report.isComplete)
        try store.record(.read(in: bob))
        #expect(try store.badge == 0)
    }

    @Test("without a word of the conversation, each message says whether it is read")
    func ownWords() throws {
        var badges: [Int] = []
        let rows = [
            message("m1", 1), changed(message("m2", 2), \.isRead, false), message("m3", 3),
            changed(message("m4", 4), \.isRead, false),
        ]
        let report = try store.migrate(rows, packageSize: 1) { _ in badges.append(try store.badge) }
        #expect(badges.last == 2 && badges.max() == 2 && report.isComplete, "\(badges)")
        // What is fetched later below the unread ones is read.
        try store.record(
            .received("m0", from: "bob", in: bob, at: OldRows.time(0), content: .text("x"), origin: .history))
        #expect(try store.badge == 2)
    }

    @Test("messages that come after the migration count, although they were sent before it")
    func sentMeanwhile() throws {
        _ = try store.migrate([conversation { $0.unreadCount = 0 }, message("m1", 1)])
        try store.record(.received("m2", from: "bob", in: bob, at: OldRows.time(10), content: .text("new")))
        #expect(try store.badge == 1)
    }

    @Test("rows with one id are one message: the first; what a sync had recorded stays")
    func known() throws {
        try store.record([
            .received("m1", from: "bob", in: bob, at: OldRows.time(2), content: .text("synced"), origin: .live),
            .received("m9", from: "bob", in: bob, at: OldRows.time(18), content: .text("newest"), origin: .live),
            Event(ConversationUpdated(ConversationFields(name: "Robert")), in: bob, origin: .live),
        ])
        let rows = [
            conversation { ($0.unreadCount, $0.activity, $0.fields.name) = (1, OldRows.time(4), "Bob") },
            message("m1", 7),
            message("m2", 2), message("m2", 2),
        ]
        let report = try store.migrate(rows)
        #expect(try texts == ["synced", "old", "newest"])
        let name = try store.read { try $0.conversation(bob)?.name }
        #expect(name == "Robert")
        #expect(report.conversations[0].messages == 2 && report.conversations[0].shownMessages == 2)
        #expect(try store.badge == 2, "m2 by the old number, and m9, which came by sync")
        #expect(report.isComplete, "\(report.differences)")
        let again = try store.migrate(rows)
        #expect(again.events == 0)
        let other = try store.migrate(rows + [message("m2", 3, text: "other")])
        #expect(other.events == 0 && !other.isComplete && other.conversations[0].conflicts == 1)
    }

    @Test(
        "a mark \"unread\" stays where the rows set the read place, and a draft that is not older than the store's is taken over"
    )
    func marksAndDrafts() throws {
        let rows = [
            conversation { ($0.isMarkedUnread, $0.draft, $0.activity) = (true, "one", OldRows.time(4)) },
            message("m1", 1),
        ]
        #expect(try store.migrate(rows).isComplete)
        #expect(try store.read { try $0.unread(of: bob).isMarkedUnread })
        let changed = [
            conversation { ($0.isMarkedUnread, $0.draft, $0.activity) = (true, "two", OldRows.time(4)) },
            message("m1", 1),
        ]
        #expect(try store.migrate(changed).events == 1)
        #expect(try store.read { try $0.conversation(bob)?.draft } == "two")
        #expect(try store.migrate(changed).events == 0)
        try store.record(.draftChanged("newer", in: bob))
        #expect(try store.migrate(changed).events == 0)
        #expect(try store.read { try $0.conversation(bob)?.draft } == "newer")
    }

    @Test(
        "a draft that was removed in the new store does not come back, whether the row has a time or none",
        arguments: [true, false])
    func removedDraft(hasTime: Bool) throws {
        let rows = [
            conversation { ($0.draft, $0.draftTime) = ("old", hasTime ? OldRows.time(4) : nil) }, message("m1", 1),
        ]
        _ = try store.migrate(rows)
        #expect(try store.read { try $0.conversation(bob)?.draft } == "old")
        try store.record(.draftChanged("mine", in: bob))
        #expect(try store.migrate(rows).events == 0)
        #expect(try store.read { try $0.conversation(bob)?.draft } == "mine")
        try store.record(.draftChanged(nil, in: bob))
        #expect(try store.migrate(rows).events == 0)
        #expect(try store.read { try $0.conversation(bob)?.draftTime } == nil)
    }

    @Test(
        "own messages without a server's id that were recalled or deleted are not sent; recalled ones move without words"
    )
    func withdrawn() throws {
        func own(_ id: String) -> OldMessage {
            OldMessage(in: bob, from: store.account, at: OldRows.time(1), content: .text("secret"), localID: id)
        }
        var (recalled, deleted, known) = (own("1"), own("2"), own("3"))
        (recalled.isRecalled, recalled.status) = (true, .sending)
        (deleted.isDeleted, deleted.status) = (true, .failed)
        (known.isRecalled, known.serverID) = (true, "s")
        let report = try store.migrate([.message(recalled), .message(deleted), .message(known)])
        #expect(report.skippedRows == 0)
        #expect(try store.read { try $0.outbox() }.isEmpty)
        let events = try store.events(limit: 100)
        #expect(!events.contains { ($0.event.payload as? MessageReceived)?.content.text != nil })
    }

    @Test("times in seconds and contents that no event can hold are rows that break a rule, and are left out on demand")
    func brokenRows() throws {
        let seconds = Timestamp(milliseconds: 1_600_000_000)
        var huge = OldMessage(
            in: bob, from: "bob", at: OldRows.time(1), content: .text("x"), serverID: "huge")
        huge.content.data = [UInt8](repeating: 1, count: 17 << 20)
        let broken = [
            conversation { $0.activity = seconds }, conversation { $0.draftTime = seconds },
            conversation { $0.readUpTo = MessageOrder(time: seconds) }, .message(huge),
        ]
        for row in broken {
            #expect(throws: StoreError.self) { try store.migrate([row]) }
        }
        let report = try store.migrate(broken + [message("m1", 1)], skippingInvalid: true)
        #expect(report.skippedRows == 4 && report.conversations.map(\.messages) == [1] && !report.isComplete)
    }

    @Test("whoever has read in the new store keeps it, and a second run is complete")
    func readSince() throws {
        let rows = [conversation { $0.unreadCount = 1 }, message("m1", 1), message("m2", 2)]
        #expect(try store.migrate(rows).isComplete)
        try store.record(.read(in: bob))
        let again = try store.migrate(rows)
        #expect(again.events == 0 && again.isComplete)
        #expect(try store.badge == 0)
    }

    @Test("a message without a time sorts first")
    func noTime() throws {
        let timeless = changed(message("m2", 1, text: "timeless"), \.time, .unknown)
        let report = try store.migrate([message("m1", 1), timeless])
        #expect(try texts == ["timeless", "old"])
        #expect(report.isComplete)
    }

    @Test("states: own messages, the outbox, failed ones, lines, recalled, edited and deleted ones")
    func states() throws {
        func own(_ local: String, _ status: MessageStatus) -> OldRow {
            var row = OldMessage(in: bob, from: "me", at: OldRows.time(9), content: .text(local), localID: local)
            row.status = status
            return .message(row)
        }
        let line = OldMessage(in: bob, from: "bob", at: OldRows.time(1), content: .text("line"), localID: "l1")
        let rows = [
            conversation { $0.unreadCount = 0 }, .message(line),
            changed(message("m1", 1, from: "me"), \.status, .read),
            changed(changed(message("m2", 2), \.isRecalled, true), \.policy, .standard),
            changed(message("m3", 3), \.editedTime, OldRows.time(40)), changed(message("m4", 4), \.isDeleted, true),
            own("waiting", .sending), own("failed", .failed),
        ]
        let report = try store.migrate(rows)
        #expect(report.isComplete, "\(report.differences)")
        let shown = try store.read { try $0.timeline(of: bob).elements }
        #expect(shown.map(\.text) == ["line", "old", nil, "old", "waiting", "failed"])
        #expect(shown.map(\.status) == [.received, .read, .received, .received, .sending, .failed])
        #expect(shown[0].isLocal && shown[2].isRecalled && shown[3].isModified)
        let outbox = try store.read { try $0.outbox().map(\.clientToken) }
        #expect(outbox == ["waiting", "failed"])
        try store.record(.received("m4", from: "bob", in: bob, at: OldRows.time(8), content: .text("again")))
        #expect(try texts.count == 6, "a deleted message stays deleted")
        let again = try store.migrate(rows)
        #expect(again.events == 0)
    }

    @Test("a stretch without gaps is known as such")
    func contiguous() throws {
        _ = try store.migrate([conversation { $0.isContiguous = true }, message("m1", 1), message("m2", 2)])
        let page = try store.read { try $0.timeline(of: bob) }
        #expect(page.isContiguous)
    }

    @Test("an invalid row throws its index and conversation, or is skipped and listed")
    func invalid() throws {
        let bad: [(OldRow, StoreError.Code)] = [
            (changed(message("m2", 2, text: "secret"), \.serverID, ""), .invalidArgument),
            (changed(message("m2", 2, text: "secret"), \.serverID, nil), .invalidArgument),
            (changed(message("m2", 2, text: "secret"), \.sender, ""), .invalidArgument),
            (changed(message("m2", 2, text: "secret"), \.time, Timestamp(milliseconds: -1)), .invalidArgument),
            (changed(message("m2", 2, text: "secret"), \.time, Timestamp(milliseconds: 1_600_000_000)), .invalidTime),
            (changed(message("m2", 2, text: "secret"), \.content.type, ""), .invalidArgument),
            (.conversation(OldConversation(.group(""))), .invalidArgument),
            (conversation { $0.readUpTo = MessageOrder(time: .unknown, id: "m1") }, .invalidArgument),
        ]
        for (row, code) in bad {
            let rows = [message("m1", 1), row, message("m3", 3)]
            do {
                _ = try store.migrate(rows)
                Issue.record("\(row.conversation)")
            } catch let error as StoreError {
                #expect(error.code == code)
                #expect(error.message.hasPrefix("row 1, of \(row.conversation): "), "\(error)")
                #expect(!error.message.contains("secret"))
            }
        }
        let report = try store.migrate([message("m1", 1)] + bad.map(\.0) + [message("m3", 3)], skippingInvalid: true)
        #expect(report.skippedRows == bad.count && report.problems.count == bad.count && !report.isComplete)
        #expect(try texts == ["old", "old"])
    }

    @Test("a count that the rows do not reach is a difference")
    func missing() throws {
        let report = try store.migrate([conversation { $0.messageCount = 3 }, message("m1", 1)])
        #expect(!report.isComplete && report.differences.map(\.key) == [bob])
    }
}
