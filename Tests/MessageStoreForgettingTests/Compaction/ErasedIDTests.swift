import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreLog
@testable import MessageStoreTestSupport

@Suite("I4, I16, E27: erased ids", .timeLimit(.minutes(30)))
struct ErasedIDTests {
    private static let user = UserID(SecretFiles.secret + "user")
    private static let late = UserID("late" + SecretFiles.secret)
    private static let room = ConversationKey.group(SecretFiles.secret + "room")
    private static let chat = ConversationKey.single(user.rawValue)
    private static let channel = ConversationKey(.single, user.rawValue, channel: SecretFiles.secret)
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    private func path(_ name: String) -> String { place.directory + "/" + name }

    private func open(_ path: String) throws -> MessageStore {
        try MessageStore.open(path, account: TemporaryStore.account, configuration: place.configuration)
    }

    /// Events that are known when they come again.
    private static let messages: [Event] = (1...40).map { number in
        let key = [room, chat, channel, group][number % 4]
        return received(
            ServerMessageID("m\(number)"), at: Int64(number), from: number % 3 == 0 ? user : "bob", in: key,
            text: SecretFiles.text(2 * number + 1), token: ClientToken("t\(number)"), mentions: [user])
    }

    private static let others: [Event] = [
        profiles([(user, "name")]), Event(ContactsReceived([ContactInfo(id: user, remark: "r")])),
        created("friends", members: [user, "eve"], in: room), pinned(in: room), read(in: chat),
        readByPeer(.upTo(ms(30)), at: 40, in: chat), Event(TeamInfoFetched([TeamInfo(id: room, name: "team")])),
        Event(ReactionAdded(.server("m3"), key: "k", by: user, at: ms(50)), in: group),
        Event(ConversationDraftChanged("draft"), in: room),
    ]

    private func fill(_ store: MessageStore) throws {
        try store.record(Self.messages)
        try store.record(Self.others)
        try store.flush()
    }

    private func erase(in store: MessageStore) throws {
        try store.erase(Erasure(users: [Self.user], conversations: [Self.room]), alsoIDs: true)
    }

    /// Whether an answer has one of the ids.
    private func shows(_ store: MessageStore) throws -> Bool {
        let events = try store.events(limit: .max)
        let answers = try store.read { views in
            let keys = [Self.room, Self.chat, Self.channel, group]
            return try """
            \(views.conversations()) \(keys.map { try views.timeline(of: $0, limit: 99) }) \
            \(keys.map { try views.members(in: $0) }) \(views.contacts()) \(views.profiles()) \(views.teams()) \
            \(keys.map { try views.conversation($0) as Any })
            """
        }
        return "\(events) \(answers)".contains(SecretFiles.secret)
    }

    /// Nothing is new, and who was erased is known.
    private func expectKnown(in store: MessageStore) throws {
        let last = try store.lastPosition()
        #expect(try store.record(Self.messages).duplicates == Self.messages.count)
        #expect(try store.lastPosition() == last)
        #expect(try store.page(of: Self.room).elements.count { $0.serverID != "new" } == 10)
        let chat = try #require(try store.conversation(Self.chat))
        #expect(chat.key == .single(chat.peer?.rawValue ?? ""))
        #expect(try store.conversation(chat.key) == chat)
        #expect(try store.message("m6", in: Self.channel)?.sender == chat.peer)
        #expect(try store.read { try $0.conversation(withPeer: Self.user)?.peer } == chat.peer)
        #expect(try store.isConsistent())
    }

    @Test("the ids of a user, of the conversations with the user and of a group are in no answer and no file")
    func hunt() throws {
        var store = try place.open()
        try fill(store)
        #expect(try shows(store))
        let (list, counts) = (try store.list(archived: .included), try store.totals())
        try erase(in: store)
        #expect(try !shows(store))
        try expectKnown(in: store)
        #expect(try store.list(archived: .included).map(\.kind) == list.map(\.kind) && store.totals() == counts)
        #expect(
            try (SecretFiles.count(in: place.path) > 0) == (TemporaryStore.key == nil),
            "the bytes are still in the files")
        #expect(try store.compact().isErasureComplete)
        #expect(try SecretFiles.count(in: place.path) == 0)
        try store.close()
        for _ in 1...2 {
            store = try place.open()
            try expectKnown(in: store)
            #expect(try !shows(store))
            try store.record([
                received("new", at: 99, from: Self.user, in: Self.room, text: "new"),
                .membersAdded(["new", Self.user], to: Self.room),
            ])
            #expect(try store.message("new", in: Self.room)?.sender == store.message("m6", in: Self.channel)?.sender)
            try store.close()
            #expect(try SecretFiles.count(in: place.path) == 0, "who comes again is not written again")
            #expect(try MessageStore.check(place.path, configuration: .ofTests).isSound)
        }
        _ = try MessageStore.salvage(place.path, to: path("salvaged"))
        let salvaged = try open(path("salvaged"))
        try expectKnown(in: salvaged)
        try salvaged.close()
        #expect(try SecretFiles.count(in: path("salvaged")) == 0)
    }

    @Test(
        "a backup with its segments and a ledger has no erased id, and knows them; without a ledger opening erases them"
    )
    func backups() throws {
        let store = try place.open()
        try fill(store)
        try store.backup(to: path("backup"))
        let later = received("late", at: 60, from: Self.late, in: .group(Self.late.rawValue))
        let positions = [try store.lastPosition(), try #require(try store.record(later).position)]
        try store.writeSegment(after: positions[0], to: path("before"))
        try erase(in: store)
        try store.erase(Erasure(users: [Self.late], conversations: [.group(Self.late.rawValue)]), alsoIDs: true)
        let end = try store.lastPosition()
        try store.writeSegment(after: positions[0], to: path("whole"))
        try store.writeSegment(after: positions[1], to: path("after"))
        let ledger = try ErasureLedger(json: store.erasureLedger().json)
        #expect(try !ledger.json.contains(SecretFiles.secret))
        for segments in [["before"], ["whole"], ["before", "after"], ["before", "whole"]] {
            for usesLedger in [true, false] where usesLedger || segments != ["before"] {
                let new = path(segments.joined() + "\(usesLedger)")
                try MessageStore.restoreBackup(
                    from: path("backup"), segments: segments.map(path), to: new, applying: usesLedger ? ledger : nil,
                    key: TemporaryStore.key)
                #expect(try (SecretFiles.count(in: new) == 0) == (usesLedger || TemporaryStore.key != nil))
                let copy = try open(new)
                #expect(try !shows(copy))
                if usesLedger { #expect(try copy.digests() == store.digests(at: copy.lastPosition())) }
                #expect(try copy.lastPosition() == (segments == ["before"] ? positions[1] : end))
                try expectKnown(in: copy)
                #expect(try copy.record([later]).duplicates == 1)
                try copy.compact()
                try copy.close()
                #expect(try SecretFiles.count(in: new) == 0)
                #expect(try MessageStore.check(new, configuration: .ofTests).isSound)
            }
        }
        // What went another way gave the numbers to others.
        let other = try open(path("backup"))
        try other.record(received("o", at: 70, from: "other", in: .group("other")))
        try other.close()
        try MessageStore.restoreBackup(
            from: path("backup"), to: path("fork"), applying: ledger, key: TemporaryStore.key)
        let fork = try open(path("fork"))
        #expect(try !shows(fork) && fork.message("o", in: .group("other"))?.sender == "other")
        try fork.close()
        try store.close()
    }

    @Test("ids that are erased while the log is copied are not those of the copy", arguments: [false, true])
    func meanwhile(isBackup: Bool) throws {
        let store = try place.open()
        try fill(store)
        var isErased = false
        let progress: MessageStore.ReplayProgress = { reached, _ in
            guard reached > .origin, !isErased else { return }
            isErased = true
            try erase(in: store)
        }
        if isBackup {
            try store.backup(to: path("copy"), progress: progress)
        } else {
            try store.compact(progress: progress)
        }
        #expect(isErased)
        try expectKnown(in: store)
        try store.close()
        for path in [place.path] + (isBackup ? [path("copy")] : []) {
            #expect(try MessageStore.check(path, configuration: .ofTests).isSound)
            let copy = try open(path)
            #expect(try !shows(copy))
            try expectKnown(in: copy)
            #expect(try copy.compact().isErasureComplete)
            try copy.close()
            #expect(try SecretFiles.count(in: path) == 0)
        }
    }

    @Test("a placeholder is nobody else's, the account keeps its id, and a conversation of two has that of its user")
    func limits() throws {
        let store = try place.open()
        try store.record([
            received("a", at: 1, from: "x"), received("b", at: 2, from: "erased:2"),
            received("c", at: 3, from: "erased:3", in: .single("x")),
        ])
        for (ids, users) in [(true, ["me"]), (true, [])] as [(Bool, [UserID])] {
            #expect(storeError { try store.erase(.users(users), alsoIDs: ids) }?.code == .invalidArgument)
        }
        #expect(storeError { try store.erase(.users(["nobody"]), alsoIDs: true) }?.code == .notFound)
        try store.erase(.conversations([.single("x")]), alsoIDs: true)
        #expect(try store.conversation(.single("x"))?.key == .single("x"))
        for _ in 1...2 { try store.erase(.users(["x"]), alsoIDs: true) }
        #expect(try store.page().elements.map(\.sender) == ["erased:2-", "erased:2"])
        #expect(try store.conversation(.single("x"))?.key == .single("erased:2-"))
        let event = try #require(try store.events().last?.event.payload as? ValuesErased)
        #expect(event.users == ["erased:2-"] && event.alsoIDs)
        // A conversation that begins later has the id until that is erased, too, and its peer is known.
        try store.record(received("d", at: 4, from: "x", in: ConversationKey(.single, "x", channel: "later")))
        let later = ConversationKey(.single, "x", channel: "later")
        #expect(try store.conversation(later)?.peer == "erased:2-" && store.conversation(later)?.key == later)
        #expect(try store.read { try $0.conversation(withPeer: "x")?.key } == later)
        try store.erase(.conversations([later]), alsoIDs: true)
        #expect(try store.conversation(later)?.key.id == "erased:2-" && store.conversation(later)?.key != later)
        #expect(try store.isConsistent())
        // What is exported knows the placeholder alone.
        let copy = try open(path("restored"))
        try copy.appendRecorded(store.events())
        #expect(try copy.digests() == store.digests())
        try copy.close()
        try store.close()
        #expect(try MessageStore.check(place.path, configuration: .ofTests).isSound)
    }
}
