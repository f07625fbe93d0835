import MessageStore

@testable import MessageStoreTestSupport

/// Events that leave rows in all sealed tables.
enum TwinEvents {
    static let groups = (0..<4).map { ConversationKey.group("g\($0)") }
    static let users = (0..<5).map { UserID("u\($0)") }
    static let room = ConversationKey(.chatRoom, "room")
    private static let messages = 24

    /// The events of each opening.
    static let batches: [[Event]] = [
        facts + (0..<messages / 2).flatMap(message), (messages / 2..<messages).flatMap(message),
    ]
    static let all = batches.flatMap { $0 }

    private static var facts: [Event] {
        var events = [Event(ChatRoomJoined(at: ms(5)), in: room)]
        for (number, key) in groups.enumerated() {
            let fields = ConversationFields(name: "name \(number)", attributes: Array(#"{"level":\#(number)}"#.utf8))
            events += [
                Event(ConversationCreated(fields, members: users), in: key),
                Event(ConversationTagged(add: ["tag \(number)", "all"], at: ms(10)), in: key),
                Event(MemberInfoChanged(users[number], nickname: "nick \(number)"), in: key),
                Event(TeamInfoFetched([TeamInfo(id: key, name: "team \(number)")])),
                Event(ChatRoomEntriesChanged(set: ["key \(number)": "entry \(number)"]), in: room),
            ]
        }
        for (number, user) in users.enumerated() {
            events += [
                Event(ProfilesFetched([Profile(id: user, name: "profile \(number)")])),
                Event(ContactsReceived([ContactInfo(id: user, remark: "remark \(number)")])),
                Event(SyncCursorAdvanced(name: "cursor \(number)", value: Array("value \(number)".utf8))),
            ]
        }
        return events
    }

    private static func message(_ number: Int) -> [Event] {
        let (group, user) = (groups[number % groups.count], users[number % users.count])
        let (id, time) = (ServerMessageID("m\(number)"), ms(1000 + Int64(number)))
        let content = MessageContent(type: .text, text: "text \(number) needle\(number % 3)")
        var events: [Event] = [.received(id, from: user, in: group, at: time, content: content)]
        if number.isMultiple(of: 3) {
            events += [
                Event(ReactionAdded(.server(id), key: "⭐", by: user, at: time), in: group),
                Event(ReactionAdded(.server(id), key: "👍", by: user, at: time), in: group),
                Event(MessageMetadataChanged(.server(id), set: ["pair": "value \(number)"], at: time), in: group),
            ]
        }
        return events
    }

    /// An event for each conversation and each user, which name them once more.
    static var naming: [Event] {
        (groups + [room]).map { Event(ConversationDraftChanged("draft", at: ms(5000)), in: $0) }
            + (users + ["me"]).map { user in
                received(ServerMessageID("again-\(user)"), at: 6000, from: user, in: groups[0])
            }
    }
}
