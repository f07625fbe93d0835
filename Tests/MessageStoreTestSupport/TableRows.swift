import MessageStore
import MessageStoreProjections

/// Events that leave rows in every table of the views, and who needs those rows.
enum TableRows {
    static let room = ConversationKey(.chatRoom, "room")
    private static let unknownType = EventType(rawValue: 0x7777)
    /// The message that is queued.
    private static let waiting = LocalMessageID(12)

    /// A store with rows in every table.
    static func filled() throws -> TemporaryStore {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record(events)
            try store.record(laterEvents)
        }
        return place
    }

    static var events: [Event] {
        [
            created("Name", members: ["me", "bob"]), profiles([("bob", "Bob")]),
            Event(TeamInfoFetched([TeamInfo(id: group, name: "Team")])),
            Event(ContactsReceived([ContactInfo(id: "bob")])),
            Event(SessionStateChanged(.connected)),
            Event(OfflineSyncStarted(), origin: .offline),
            received("a", at: 10, origin: .offline), received("b", at: 20, type: .image, mentions: ["me"]),
            wantingReceipt("w", at: 30), received("f", at: 40),
            Event(MessageStatusFlagsSet([.server("f")], flags: .retrieved), in: group),
            queued("waits"), delivered(.upTo(ms(5)), at: 50), recalled("later"),
            Event(ReadReceiptRequested([.server("wanted")]), in: group),
            Event(ReactionAdded(.server("a"), key: "👍", by: "bob", at: ms(60)), in: group),
            Event(ChatRoomJoined(at: ms(70)), in: room),
            Event(ChatRoomEntriesChanged(set: ["k": "value"]), in: room),
            Event(SyncCursorAdvanced(name: "c", value: [1, 2, 3, 4])),
            Event(any: UnknownEvent(type: unknownType)),
        ]
    }

    /// Those that refer to the ones before: a hole in the timeline, a cleared beginning, a change that waits.
    static var laterEvents: [Event] {
        [
            Event(HistoryGapFound(before: order(35)), in: group),
            cleared(order(10, "a")),
            received("go", at: 95, text: "gone"), deleted("go"), pinned(),
            Event(MessagePinned(.server("b"), by: "bob", at: ms(80)), in: group),
            reply("r", to: "b", at: 97), Event(ThreadRead("b"), in: group),
            Event(MessageInsertedLocally(content: .text("line"), time: ms(85)), in: group),
            Event(
                MessageModified(.server("f"), content: .text("edited"), at: ms(90)), in: group,
                origin: .local),
            Event(MessageModified(.local(waiting), content: .text("edited"), at: ms(91)), in: group, origin: .live),
            Event(AttachmentStateChanged(.server("b"), state: .available, localPath: "/b", byteCount: 5), in: group),
            Event(ConversationTimerChanged(MessageTimer(seconds: .max)), in: group),
            received("r1", at: 99, in: room), Event(ChatRoomLeft(at: ms(99)), in: room),
            Event(ChatRoomEntriesChanged(set: ["k": "value"]), in: room),
            Event(ConversationUpdated(ConversationFields(attributes: Array(#"{"level":3}"#.utf8))), in: group),
        ]
    }

    private static func wantingReceipt(_ id: ServerMessageID, at time: Int64) -> Event {
        let message = MessageReceived(
            serverID: id, sender: "bob", sentTime: ms(time), content: .text(id.rawValue), needsReceipt: true)
        return Event(message, in: group, origin: .live)
    }

    private static func reply(_ id: ServerMessageID, to root: ServerMessageID, at time: Int64) -> Event {
        .received(
            id, from: "bob", in: group, at: ms(time), content: .text(id.rawValue),
            context: MessageContext(replyTo: root), origin: .live)
    }

    /// A query that needs the rows of a table; nil where no query reads them, or any bytes are such a row.
    static func query(_ table: ViewTable) -> ((borrowing Views) throws -> Void)? {
        switch table.name {
        case "identities": { _ = try $0.message(.server("b"), in: group) }
        case "messageStates": { _ = try $0.message(.server("f"), in: group) }
        case "outbox": { _ = try $0.outbox() }
        case "receiptMarks": { _ = try $0.deliveredMarker(of: "bob", in: group) }
        case "timeline", "timelineFloors", "timelineRanges", "timelineHeads": { _ = try $0.timeline(of: group) }
        case "conversations", "conversationInfo", "members": { _ = try $0.conversation(group) }
        case "conversationOrder": { _ = try $0.conversations(kinds: [.group]) }
        case "conversationNumbers":
            { _ = try $0.conversationCount(matching: ConversationQuery(.attribute("level", .less(4)))) }
        case "unread": { _ = try $0.firstUnread(in: group) }
        case "unreadTotals": { _ = try $0.unreadTotals() }
        case "memberLists": { _ = try $0.canSend(in: group) }
        case "conversationIndex": { _ = try $0.conversations(matching: ConversationQuery(.name(.equal("Name")))) }
        case "chatRoomReturns": { _ = try $0.message(.server("r1"), in: room) }
        case "chatRooms": { _ = try $0.joinedChatRooms() }
        case "profiles": { _ = try $0.displayName(of: "bob", in: peer) }
        case "teams": { _ = try $0.team(group) }
        case "contacts": { _ = try $0.contact("bob") }
        case "timelineEvents": { _ = try $0.timelineEvents(on: $0.timeline(of: group), in: group) }
        case "markedMessages": { _ = try $0.pinnedMessages(in: group) }
        case "localFileOrder": { _ = try $0.localFiles() }
        case "localFileTotals": { _ = try $0.localFileTotals() }
        case "timers": { _ = try $0.timer(of: group) }
        case "replies", "threads": { _ = try $0.threads(in: group) }
        case "syncState": { _ = try $0.syncProgress() }
        case "unknownEvents": { _ = try ViewDiagnostics.unknownEventCounts(in: $0) }
        case "messageDetails": { _ = try $0.reactions(to: .server("a"), in: group) }
        case "owedReceipts": { _ = try $0.owedReceipts(in: group) }
        case "pendingChanges": { _ = try $0.pendingChanges() }
        case "timelineMarks": { _ = try $0.media(in: group) }
        case "parkedStates", "deletedMessages", "deviceLines", "settingTimes": nil
        case "chatRoomEntries", "syncCursors": nil
        default: nil
        }
    }

    /// An event whose fold needs the rows of a table; nil where folds only write them, or any bytes are such a row.
    static func event(_ table: ViewTable) -> Event? {
        switch table.name {
        case "identities": received("b", at: 20)
        case "messageStates": recalled("f")
        case "parkedStates": received("later", at: 100)
        case "receiptMarks": delivered(.upTo(ms(6)), at: 100)
        case "timeline": read(order(20, "b"))
        case "timelineFloors": cleared(order(20, "b"))
        case "timelineRanges", "timelineHeads", "timelineWaits": historyPage(newest: order(25), oldest: order(5))
        case "conversations", "unread", "unreadTotals", "timers": received("new", at: 100)
        case "conversationInfo": Event(ConversationTagged(add: ["t"]), in: group)
        case "members", "memberLists": Event(MembersAdded(["bob", "eve"], kind: .joined), in: group)
        case "chatRoomReturns": Event(HistoryCleared(), in: room)
        case "chatRooms": Event(ChatRoomLeft(at: ms(100)), in: room)
        case "profiles": Event(ProfileInvalidated(["bob"]))
        case "teams": Event(TeamInfoInvalidated([group]))
        case "contacts": Event(ContactsRemoved(["bob"]))
        case "localFileTotals": Event(AttachmentStateChanged(.server("b"), state: .uploaded), in: group)
        case "replies": reply("s", to: "b", at: 98)
        case "threads": Event(ThreadRead("b", upTo: order(200)), in: group)
        case "syncState": Event(OfflineSyncCompleted(), origin: .offline)
        case "unknownEvents": Event(any: UnknownEvent(type: unknownType))
        case "messageDetails":
            Event(ReactionRemoved(.server("a"), key: "👍", by: "bob", at: ms(100)), in: group)
        case "deletedMessages": received("gone again", at: 96, text: "gone")
        case "deviceLines": cleared()
        case "settingTimes": pinned()
        case "pendingChanges": Event(MessageRecalled(.server("f")), in: group, origin: .live)
        case "outbox", "conversationOrder", "conversationNumbers", "conversationIndex", "owedReceipts", "timelineMarks",
            "timelineEvents":
            nil
        case "chatRoomEntries", "syncCursors", "markedMessages", "localFileOrder": nil
        default: nil
        }
    }
}
