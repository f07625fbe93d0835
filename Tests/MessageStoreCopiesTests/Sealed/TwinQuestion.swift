import Foundation
import MessageStore
import MessageStoreSearch

@testable import MessageStoreTestSupport

/// A question to a store that has ``TwinEvents``, and the answer, which follows from the events by looking at all of them.
struct TwinQuestion: Sendable {
    let name: String
    private let answer: @Sendable () -> AnyHashable
    private let ask: @Sendable (MessageStore) throws -> AnyHashable

    /// A question to the views.
    init<Answer: Hashable & Sendable>(
        _ name: String, _ answer: Answer, _ ask: @escaping @Sendable (borrowing Views) throws -> Answer
    ) {
        self.name = name
        self.answer = { AnyHashable(answer) }
        self.ask = { store in AnyHashable(try store.read { try ask($0) }) }
    }

    private init(search query: String, _ answer: Set<String>) {
        name = "search for \(query)"
        self.answer = { AnyHashable(answer) }
        ask = { store in
            AnyHashable(Set(try store.search(SearchQuery(query), limit: 1000).elements.map(\.text)))
        }
    }

    /// Whether the store gives the answer.
    func isAnswered(by store: MessageStore) throws -> Bool { try ask(store) == answer() }

    static let all =
        groups + users + messages + [
            entries, levels, stars, starCounts, tagged, contacts, search("needle1"), search("text"),
        ]
}

extension TwinQuestion {
    private static func payloads<Payload: EventPayload>(
        _ type: Payload.Type, in key: ConversationKey? = nil
    ) -> [Payload] {
        TwinEvents.all.filter { key == nil || $0.conversation == key }.compactMap { $0.payload as? Payload }
    }

    private static var groups: [TwinQuestion] { TwinEvents.groups.enumerated().flatMap(ofGroup) }

    private static func ofGroup(_ number: Int, _ key: ConversationKey) -> [TwinQuestion] {
        let texts = payloads(MessageReceived.self, in: key).map(\.content.text)
        let name = payloads(ConversationCreated.self, in: key).last?.fields.name
        let tags = Set(payloads(ConversationTagged.self, in: key).flatMap(\.added))
        var nicknames: [UserID: String] = [:]
        for change in payloads(MemberInfoChanged.self, in: key) { nicknames[change.member] = change.nickname }
        let team = payloads(TeamInfoFetched.self).flatMap(\.teams).last { $0.id == key }?.name
        return [
            TwinQuestion("timeline \(number)", texts) { views in
                try views.timeline(of: key, limit: 1000).elements.map(\.content.text)
            },
            TwinQuestion("name \(number)", name) { try $0.conversation(key)?.name },
            TwinQuestion("tags \(number)", tags) { Set(try $0.conversation(key)?.tags ?? []) },
            TwinQuestion("named \(number)", [key]) { views in
                let query = ConversationQuery(.name(.equal(.string(name ?? ""))))
                return try views.conversations(matching: query).elements.map(\.key)
            },
            TwinQuestion("nicknames \(number)", nicknames) { views in
                var found: [UserID: String] = [:]
                for member in try views.members(in: key, limit: 1000).elements { found[member.id] = member.nickname }
                return found
            },
            TwinQuestion("team \(number)", team) { try $0.team(key).info.name },
        ]
    }

    private static var users: [TwinQuestion] { TwinEvents.users.enumerated().flatMap(ofUser) }

    private static func ofUser(_ number: Int, _ user: UserID) -> [TwinQuestion] {
        let profile = payloads(ProfilesFetched.self).flatMap(\.profiles).last { $0.id == user }?.name
        let remark = payloads(ContactsReceived.self).flatMap(\.contacts).last { $0.id == user }?.remark
        let cursor = payloads(SyncCursorAdvanced.self).last { $0.name == "cursor \(number)" }?.value
        return [
            TwinQuestion("profile \(number)", profile) { try $0.profile(user).info.name },
            TwinQuestion("contact \(number)", remark) { try $0.contact(user)?.remark },
            TwinQuestion("cursor \(number)", cursor) { try $0.syncCursor("cursor \(number)") },
        ]
    }

    private static var messages: [TwinQuestion] {
        TwinEvents.all.flatMap { event -> [TwinQuestion] in
            guard let message = event.payload as? MessageReceived, let key = event.conversation else { return [] }
            let reference = MessageReference.server(message.serverID)
            let reactions = Set(payloads(ReactionAdded.self).filter { $0.message == reference }.map(\.key))
            let pairs = payloads(MessageMetadataChanged.self).last { $0.message == reference }?.values ?? [:]
            return [
                TwinQuestion("reactions to \(message.serverID)", reactions) { views in
                    Set(try views.reactions(to: reference, in: key).map(\.key))
                },
                TwinQuestion("pairs of \(message.serverID)", pairs) { try $0.metadata(of: reference, in: key) },
            ]
        }
    }

    private static var entries: TwinQuestion {
        var entries: [String: String] = [:]
        for change in payloads(ChatRoomEntriesChanged.self) { entries.merge(change.values) { $1 } }
        return TwinQuestion("entries", entries) { try $0.chatRoomEntries(in: TwinEvents.room) }
    }

    private static var levels: TwinQuestion {
        let levels = payloads(ConversationCreated.self).compactMap { created -> Int? in
            let object = try? JSONSerialization.jsonObject(with: Data(created.fields.attributes ?? []))
            return (object as? [String: Any])?["level"] as? Int
        }
        return TwinQuestion("levels", levels.count { $0 < 3 }) { views in
            try views.conversationCount(matching: ConversationQuery(.attribute("level", .less(3))))
        }
    }

    private static var starred: [String] {
        payloads(ReactionAdded.self).filter { $0.key == "⭐" }.compactMap { reaction in
            guard case .server(let id) = reaction.message else { return nil }
            return id.rawValue
        }
    }

    private static var stars: TwinQuestion {
        TwinQuestion("stars", starred.sorted()) { try $0.starred().sorted() }
    }

    private static var starCounts: TwinQuestion {
        TwinQuestion("numbers of stars", starred.count) { views in
            var count = 0
            for key in TwinEvents.groups { count += Int(try views.starCount(of: key)) }
            return count
        }
    }

    private static var tagged: TwinQuestion {
        let tagged = TwinEvents.all.filter { ($0.payload as? ConversationTagged)?.added.contains("all") == true }
        return TwinQuestion("tagged", Set(tagged.compactMap(\.conversation))) { views in
            Set(try views.conversations(tagged: "all").elements.map(\.key))
        }
    }

    private static var contacts: TwinQuestion {
        TwinQuestion("contacts", Set(payloads(ContactsReceived.self).flatMap(\.contacts).map(\.id))) { views in
            Set(try views.contacts(limit: 1000).elements.map(\.id))
        }
    }

    private static func search(_ word: String) -> TwinQuestion {
        let texts = payloads(MessageReceived.self).compactMap(\.content.text)
        return TwinQuestion(search: word, Set(texts.filter { $0.split(separator: " ").contains(word[...]) }))
    }
}
