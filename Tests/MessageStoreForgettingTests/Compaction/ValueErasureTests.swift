import Foundation
import MessageStoreModel
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreLog
@testable import MessageStoreTestSupport

@Suite("I16, E27, X14: erasing values", .timeLimit(.minutes(30)))
struct ValueErasureTests {
    private static let secret = SecretFiles.secret

    /// A host's event with fields of all classes.
    struct Note: ConversationPayload, DeclaredFields {
        var author: UserID
        var title: String
        var code: String
        var labels: [String: String]
        var mood: Mood?
        var text: String?

        enum Mood: String, FieldValue { case good, bad }

        static let declaration = EventDeclaration("com.example.note", scope: .conversation)
        static let author = EnvelopeFieldOf(.actor, "author", \Self.author)
        static let title = FieldOf(3, "title", \Self.title, .key)
        static let code = FieldOf(4, "code", \Self.code, .any, .structure)
        static let labels = FieldOf(5, "labels", \Self.labels)
        static let mood = FieldOf(6, "mood", \Self.mood)
        static let text = ContentFieldOf(1, "text", \Self.text)
        static let fieldList = FieldList(Self.init, author, title, code, labels, mood, text)

        static func secret(by author: UserID) -> Note {
            Note(
                author: author, title: SecretFiles.secret, code: "c1", labels: [SecretFiles.secret: SecretFiles.secret],
                mood: .bad,
                text: SecretFiles.secret)
        }
    }

    /// Where the secret is in an event.
    private static func positions(in store: MessageStore) throws -> [Position] {
        try store.events().filter { "\($0.event)".contains(secret) }.map(\.position)
    }

    /// Expects that a backup that is restored with the store's ledger has the store's events, and no secret.
    private static func expectRestored(_ place: TemporaryStore, _ store: MessageStore) throws {
        let ledger = try ErasureLedger(json: store.erasureLedger().json)
        #expect(try !ledger.json.contains("bob"))
        let new = place.directory + "/new"
        let last = try MessageStore.restoreBackup(
            from: place.directory + "/backup", to: new, applying: ledger, key: TemporaryStore.key)
        #expect(try SecretFiles.count(in: new) == 0)
        let copy = try MessageStore.open(new, account: TemporaryStore.account, configuration: store.configuration)
        #expect(try copy.events() == Array(store.events().prefix(Int(last.rawValue))))
        #expect(try copy.digests() == store.digests(at: last))
        try copy.close()
    }

    private static func open(_ place: TemporaryStore) throws -> MessageStore {
        try place.open { $0.events = [Note.self] }
    }

    @Test("every personal field of every type of event leaves records and files with its conversation or event")
    func hunt() throws {
        let place = try TemporaryStore()
        var store = try Self.open(place)
        var personal: Set<String> = []
        for (number, sample) in SampleEvents.all.enumerated() where sample.type != .valuesErased {
            let event = try PersonalEvents.marked(sample, Self.secret)
            try store.record([SecretFiles.message(2 * number + 1)])
            // Some samples name messages that there are none of, or are known.
            guard let result = try? store.record([event]), result.duplicates == 0 else { continue }
            let fields = type(of: event.payload).fieldDescriptions.filter { $0.fieldClass == .personal }
            // An earlier sample of the type may lack the group.
            for field in fields where "\(event.payload)".contains(Self.secret) {
                personal.insert("\(event.type).\(field.name)")
            }
        }
        for payload in EventCatalog.payloads {
            for field in payload.fieldDescriptions where field.fieldClass == .personal {
                #expect(personal.contains("\(payload.declaration.type).\(field.name)"), "no sample has it")
            }
        }
        try store.record([Event(Note.secret(by: "bob"), in: group)])
        try store.flush()
        let before = try store.events()
        let found = try Self.positions(in: store)
        #expect(Set(before.map(\.event.type)).count > 60 && found.count > 40)
        // No file of a sealed store ever has the secret.
        let isClear = TemporaryStore.key == nil
        let count = try SecretFiles.count(in: place.path)
        #expect(isClear ? count > 100 : count == 0)

        try store.backup(to: place.directory + "/backup")
        #expect(try (SecretFiles.count(in: place.directory + "/backup") > 100) == isClear)
        let conversations = Set(before.compactMap(\.event.conversation))
        let account = before.filter { $0.event.conversation == nil && found.contains($0.position) }
        try store.erase(Erasure(conversations: Array(conversations), events: account.map(\.position)))
        #expect(try Self.positions(in: store) == [])
        #expect(try store.statistics().owedBytes > 0)
        let digests = try store.digests()
        try store.rebuild()
        #expect(try store.digests() == digests)
        let note = try #require(try store.events().last { $0.event.payload is Note }?.event.payload as? Note)
        #expect(note == Note(author: "bob", title: "\u{FFFD}", code: "c1", labels: [:], mood: .bad, text: nil))

        #expect(try (SecretFiles.count(in: place.path) > 0) == isClear, "the bytes are still in the files")
        #expect(try store.compact().isErasureComplete)
        #expect(try SecretFiles.count(in: place.path) == 0)
        let erased = try store.events()
        #expect(erased.map(\.event.type) == before.map(\.event.type) + [.valuesErased])
        #expect(erased.map(\.recordedTime).dropLast() == before.map(\.recordedTime)[...])
        try store.close()
        store = try Self.open(place)
        #expect(try store.digests() == digests && store.isConsistent())
        // What was erased can be exported and restored.
        let copy = try TemporaryStore()
        let restored = try Self.open(copy)
        try restored.appendRecorded(store.events())
        #expect(try restored.digests() == digests)
        try restored.close()
        try Self.expectRestored(place, store)
        try store.close()
    }

    @Test("a user's data leaves, and that of others stays; what is recorded later stays, too")
    func user() throws {
        let place = try TemporaryStore()
        let store = try Self.open(place)
        let both: [UserID] = ["bob", "eve"]
        var events: [Event] = [
            Event(
                ProfilesFetched(both.map { Profile(id: $0, name: Self.secret, attributes: Array(Self.secret.utf8)) })),
            Event(ContactsReceived(both.map { ContactInfo(id: $0, remark: Self.secret) })),
            created("friends", members: both),
        ]
        for user in both {
            var message = MessageReceived(
                serverID: ServerMessageID("m-\(user)"), sender: user, sentTime: ms(10), content: .text(Self.secret))
            message.senderProfile = SenderProfile(name: Self.secret)
            events += [
                Event(MemberInfoChanged(user, nickname: Self.secret, role: 2), in: group),
                Event(message, in: group),
                Event(ReactionAdded(.server(message.serverID), key: Self.secret, by: user, at: ms(20)), in: group),
                snapshot(Self.secret, in: .single(user.rawValue)),
                Event(Note.secret(by: user), in: group),
            ]
        }
        try store.record(events)
        try store.backup(to: place.directory + "/backup")
        try store.erase(.users(["bob"]))
        try store.record([
            Event(ContactsReceived([ContactInfo(id: "bob", remark: "new")])), modified("m-bob", "edited", at: 30),
        ])

        func expect(_ user: UserID, _ value: String?, _ text: String, reaction: String) throws {
            #expect(try store.read { try $0.profile(user).info.name } == value, "\(user)")
            let member = try store.members().first { $0.id == user }
            #expect(member?.nickname == value && member?.role == 2)
            let id = ServerMessageID("m-\(user)")
            #expect(try store.message(id)?.content.text == text)
            #expect(try store.read { try $0.reactions(to: .server(id), in: group).map(\.key) } == [reaction])
            #expect(try store.conversation(.single(user.rawValue))?.name == value)
            let notes = try store.events().compactMap { $0.event.payload as? Note }.filter { $0.author == user }
            #expect(notes.map(\.text) == [value] && notes[0].code == "c1")
        }
        try expect("bob", nil, "edited", reaction: "\u{FFFD}")
        try expect("eve", Self.secret, Self.secret, reaction: Self.secret)
        #expect(try store.read { try $0.contact("bob") }?.remark == "new")
        #expect(try store.isConsistent())

        try store.erase(.users(["bob", "eve"], alsoMessages: true))
        #expect(try Self.positions(in: store) == [])
        #expect(try store.read { try $0.contact("bob") }?.remark == nil)
        #expect(try store.page().elements.map(\.text) == [nil, nil])
        #expect(try store.record(events).duplicates == 2, "messages are known")
        try Self.expectRestored(place, store)
        try store.close()
    }

    @Test("a backup during which values are erased does not have them, and open replay sessions end")
    func meanwhile() throws {
        let place = try TemporaryStore()
        let store = try Self.open(place)
        try store.record([
            Event(ProfilesFetched([Profile(id: "bob", name: Self.secret)])), snapshot(Self.secret, in: .single("bob")),
        ])
        let session = try store.replaySession()
        #expect(try session.read(at: Position(2)) { try $0.profile("bob").info.name } == Self.secret)
        var isErased = false
        try store.backup(to: place.directory + "/copy") { _, _ in
            if !isErased { try store.erase(.users(["bob"])) }
            isErased = true
        }
        #expect(isErased && storeError { try session.read(at: Position(2)) { _ in } }?.code == .closed)
        #expect(try store.read { try $0.profile("bob").info.name } == nil)
        try store.close()
        let copy = try MessageStore.open(
            place.directory + "/copy", account: TemporaryStore.account, configuration: place.configuration)
        #expect(try copy.events().count == 3 && Self.positions(in: copy) == [])
        #expect(try copy.compact().isErasureComplete)
        try copy.close()
        #expect(try SecretFiles.count(in: place.directory + "/copy") == 0)
    }

    @Test("what a store does not have cannot be erased, and nothing is recorded")
    func refused() throws {
        let place = try TemporaryStore()
        let store = try Self.open(place)
        try store.record([received("a", at: 10)])
        let errors = [
            storeError { try store.erase(.users(["nobody"])) },
            storeError { try store.erase(.conversations([.group("?")])) },
            storeError { try store.erase(.events([Position(2)])) }, storeError { try store.erase(.events([.origin])) },
        ]
        #expect(errors.map(\.?.code) == [.notFound, .notFound, .notFound, .notFound])
        #expect(storeError { try store.erase(Erasure()) }?.code == .invalidArgument)
        #expect(
            storeError { try store.erase(Erasure(alsoMessages: true, events: [Position(1)])) }?.code == .invalidArgument
        )
        #expect(try store.events().count == 1)
        try store.close()
    }
}
