internal import Foundation
package import MessageStore
internal import MessageStoreLog

/// Events with one word in what people write and by what they are named, to be looked for in files.
package enum PersonalEvents {
    /// No other text has it.
    package static let word = "Zq7personalQz7"

    /// The event as JSON with a word in every personal field that its type declares, and decoded again.
    package static func marked(_ event: Event, _ word: String = word) throws -> Event {
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(event))
        guard var object = json as? [String: Any], let payload = object["payload"] as? [String: Any] else {
            return event
        }
        object["payload"] = marked(payload, type(of: event.payload).fieldDescriptions, word)
        return try JSONDecoder().decode(Event.self, from: JSONSerialization.data(withJSONObject: object))
    }

    private static func marked(
        _ group: [String: Any], _ fields: [FieldDescription], _ word: String
    ) -> [String: Any] {
        var group = group
        for field in fields where field.fieldClass == .personal {
            switch (field.type.kind, field.type.isList) {
            case (.string, false): group[field.name] = word
            case (.string, true): group[field.name] = [word]
            case (.bytes, _): group[field.name] = Data(word.utf8).base64EncodedString()
            case (.pairs, _): group[field.name] = [word: word]
            default:
                let elements = group[field.name] as? [[String: Any]]
                group[field.name] = elements.map { $0.prefix(1).map { marked($0, field.elements, word) } }
            }
        }
        return group
    }

    /// A message with the word in all of its texts and ids, but for the one that a server gave it.
    package static func message(_ id: ServerMessageID, _ number: UInt64, origin: Origin = .live) -> Event {
        var message = MessageReceived(
            serverID: id, sender: UserID("u-\(word)-\(number % 7)"), sentTime: time(number),
            content: MessageContent(
                type: ContentType("type-\(word)"), text: "\(word) 你好 \(number)", data: Array(word.utf8),
                attributes: Array(#"{"\#(word)":"\#(word)"}"#.utf8)),
            context: MessageContext(mentions: [UserID("u-\(word)-1")], pushText: word))
        message.senderProfile = SenderProfile(name: word, avatarURL: word)
        return Event(message, in: conversation(number), origin: origin)
    }

    private static func conversation(_ number: UInt64) -> ConversationKey { .group("g-\(word)-\(number % 3)") }

    private static func time(_ number: UInt64) -> Timestamp {
        Timestamp(milliseconds: 1_700_000_000_000 + Int64(number) * 1000)
    }
}

/// The packages of a sync without an end, so that any process continues where another one ended.
extension PersonalEvents {
    /// The name of the cursor, which says how many packages there were.
    package static let cursor = "c-\(word)"

    /// A package, from 1 on, with messages and with something else that people chose or wrote.
    package static func packet(_ number: UInt32) -> OfflinePackage {
        let (wide, place) = (UInt64(number), conversation(UInt64(number)))
        var events = (0...wide * 7919 % 5).map { message("m\(number)-\($0)", wide, origin: .offline) }
        events += others(wide).map { Event($0, in: place, origin: .offline) }
        let user = UserID("u-\(word)-\(number % 7)")
        if number.isMultiple(of: 2) {
            events.append(Event(ProfilesFetched([Profile(id: user, name: "\(word) \(number)")]), origin: .offline))
        } else {
            events.append(Event(ContactsReceived([ContactInfo(id: user, remark: "\(word) \(number)")])))
        }
        return OfflinePackage(
            index: number, events: events, hasMore: true,
            cursor: SyncCursorAdvanced(name: cursor, value: Array("\(number)".utf8)))
    }

    private static func others(_ number: UInt64) -> [any ConversationPayload] {
        let (user, message) = (UserID("u-\(word)-\(number % 7)"), MessageReference.server("m\(number)-0"))
        switch number % 5 {
        case 0: return [MembersAdded([user], kind: .joined), MemberInfoChanged(user, nickname: "\(word) \(number)")]
        case 1:
            return [
                ConversationCreated(
                    ConversationFields(name: "\(word) \(number)", attributes: Array(#"{"a":"\#(word)"}"#.utf8)))
            ]
        case 2: return [ConversationTagged(add: ["\(word) \(number)"], at: time(number))]
        case 3: return [ReactionAdded(message, key: "\(word)👍", by: user, at: time(number))]
        default:
            return [
                MessageMetadataChanged(message, set: [word: "\(word) \(number)"], at: time(number)),
                ConversationDraftChanged("\(word) \(number)", at: time(number)),
            ]
        }
    }

    /// The payloads that a store has of a package.
    package static func recorded(_ package: OfflinePackage) -> [AnyHashable] {
        let count = package.events.count { $0.type == .messageReceived }
        let cursor = package.cursor.map { [AnyHashable($0)] } ?? []
        let received = OfflinePackageReceived(
            index: package.index, messageCount: UInt32(count), hasMore: package.hasMore)
        return package.events.map { AnyHashable($0.payload) } + cursor + [AnyHashable(received)]
    }
}
