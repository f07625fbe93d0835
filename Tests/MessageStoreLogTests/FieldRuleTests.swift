import Foundation
@_spi(Storage) import MessageStoreLog
import Testing

/// Each field of each event type is broken in turn, by way of JSON, and must be refused by its name.
@Suite struct `Rules of fields` {
    /// Strings without a rule: what people and services write. All others are identifiers, or the keys below.
    static let freeTexts: Set<String> = [
        "text", "pushText", "reason", "nickname", "avatarURL", "session", "localPath", "remoteURL", "senderName",
        "attachments",
        "senderAvatarURL", "ConversationFolderChanged.name", "ConversationFolderChanged.condition",
        "ConversationCreated.name", "ConversationUpdated.name", "ConversationSnapshotReceived.name",
    ]
    /// Strings of at most 128 bytes.
    static let keys: Set<String> = ["key", "added", "values", "ChatRoomEntriesChanged.removed"]
    /// Lists that must name something.
    static let nonEmpty: Set<String> = [
        "MessagesDeleted.messages", "ReadReceiptRequested.messages",
        "MessageStatusFlagsSet.messages", "MembersAdded.members", "MembersRemoved.members", "ProfilesFetched.profiles",
        "ProfileFetchFailed.ids", "TeamInfoFetched.teams", "ContactsRemoved.ids", "UsersBlocked.ids",
    ]

    /// Values that a field must not have, as JSON.
    static func broken(_ field: FieldDescription, of type: EventType) -> [Any] {
        let names = [field.name, "\(type).\(field.name)"]
        let longest = keys.isDisjoint(with: names) ? 255 : 128
        let strings = ["", String(repeating: "界", count: longest / 3 + 1)]
        var values: [Any] =
            switch field.type.kind {
            case .time: [-1, 253_402_300_800_000]
            case .user: strings
            case .string: freeTexts.isDisjoint(with: names) ? strings : []
            case .message: strings.map { ["server": $0] }
            case .order: strings.map { ["time": 1, "id": $0] } + [["time": -1]]
            case .pairs: field.name == "values" ? strings.map { [$0: "v"] } : []
            case .conversation: strings.map { ["kind": "group", "id": $0] }
            case .group:
                strings.map { string in
                    switch type {
                    case .teamInfoFetched: ["id": ["kind": "group", "id": string]]
                    case .messageSnapshotReceived: ["key": string, "users": [String]()]
                    default: ["id": string]
                    }
                }
            case .bool, .number, .signedNumber, .bytes: []
            }
        if field.type.isList {
            values = values.map { [$0] }
            if !nonEmpty.isDisjoint(with: names) { values.append([Any]()) }
        }
        return values
    }

    @Test(
        "a value that breaks its field's rule is refused by name and never shown",
        arguments: EventType.known.map(\.type))
    func refused(type: EventType) throws {
        let samples = SampleEvents.all.filter { $0.type == type }
        for field in type.fields {
            // What applies to the one form of a receipt is not in samples of the other.
            let sample = samples.first { sample in
                sample.payload.fieldTexts.contains { $0.name == field.name && $0.text?.isEmpty == false }
            }
            guard let sample else { continue }
            for value in Self.broken(field, of: type) {
                let event = try Self.replacing(field.name, by: value, in: sample)
                let error = storeError { try event.validate() }
                #expect(error?.code == .invalidArgument, "\(type).\(field.name) takes \(value)")
                #expect(error?.message.hasPrefix("\(type).\(field.name) ") == true, "\(String(describing: error))")
                #expect(error?.message.contains("界") == false)
                // What is refused beforehand is refused by an append, too.
                #expect(throws: StoreError.self) { try withLog { try $0.append([event]) } }
            }
        }
    }

    private static func replacing(_ name: String, by value: Any, in event: Event) throws -> Event {
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(event))
        var object = try #require(json as? [String: Any])
        var payload = try #require(object["payload"] as? [String: Any])
        payload[name] = value
        object["payload"] = payload
        return try JSONDecoder().decode(Event.self, from: JSONSerialization.data(withJSONObject: object))
    }
}
