@_spi(Storage) import MessageStoreLog

extension SampleEvents {
    static let room = ConversationKey(.chatRoom, "直播间")
    private static let local = MessageReference.local(LocalMessageID(3))

    static var states: [Event] {
        let bodies: [EventBody] = [
            .messageStatusOverridden(MessageStatusOverridden(local, status: .failed)),
            .messageInsertedLocally(
                MessageInsertedLocally(content: fullContent, sender: "张三", time: time, updatesLastMessage: false)),
            .messageInsertedLocally(MessageInsertedLocally(content: .text(text), time: .unknown)),
            .readReceiptRequested(ReadReceiptRequested([.server("s1"), local])),
            .readReceiptSent(ReadReceiptSent([local])),
            .messageStatusFlagsSet(MessageStatusFlagsSet([.server("s1")], flags: [.read, .retrieved])),
            .messageStatusFlagsSet(MessageStatusFlagsSet([local], flags: [.listened, .downloaded])),
            .messageExpansionChanged(
                MessageExpansionChanged(.server("s1"), set: ["颜色": "红", "b": ""], remove: ["c", "d"], at: time)),
            .messageExpansionChanged(MessageExpansionChanged(local, at: .latest)),
            .reactionAdded(ReactionAdded(.server("s1"), key: "👍", by: "张三", at: time)),
            .reactionRemoved(ReactionRemoved(local, key: "👍", by: "me", at: .unknown)),
            .attachmentStateChanged(AttachmentStateChanged(local, state: .uploading, localPath: "/tmp/图.png")),
            .attachmentStateChanged(
                AttachmentStateChanged(.server("s1"), state: .failed, localPath: "", remoteURL: "https://x")),
            .messageFiltered(MessageFiltered(.server("s1"), verdict: .keep)),
            .messageFiltered(MessageFiltered(.server("s1"), verdict: .hide, filterVersion: .max)),
            .messageFiltered(MessageFiltered(local, verdict: .replace(fullContent), filterVersion: 0)),
            .messageFiltered(MessageFiltered(local, verdict: .replace(emptyContent))),
            .messageDuplicateSuppressed(
                MessageDuplicateSuppressed(serverID: "s8", duplicateOf: LocalMessageID(1), rule: .clientToken)),
            .messageDuplicateSuppressed(
                MessageDuplicateSuppressed(serverID: ServerMessageID(longest), duplicateOf: nil, rule: .content)),
            .historyGapFound(HistoryGapFound()),
            .historyGapFound(HistoryGapFound(before: MessageOrder(time: time, id: "s1"))),
            .messageReadByPeer(
                MessageReadByPeer(.messages([.server("s1")]), at: time, counts: ReadCounts(read: 0, unread: .max))),
        ]
        return bodies.map { Event($0, in: group, origin: .live) }
    }

    static var conversationStates: [Event] {
        let inGroup: [EventBody] = [
            .conversationInvalidated(ConversationInvalidated()),
            .conversationTagged(ConversationTagged(add: ["工作", "a"], remove: ["b"])),
            .conversationTagged(ConversationTagged()),
            .conversationUpdated(ConversationUpdated(ConversationFields(indexed: ["type": "1", "主题": "饭"]))),
            .conversationUpdated(ConversationUpdated(ConversationFields(indexed: [:]))),
            .unreadCountReported(
                UnreadCountReported(7, mentions: 7, upTo: MessageOrder(time: time, id: "s1"), at: time)),
            .unreadCountReported(UnreadCountReported(.max, upTo: MessageOrder(time: .latest), at: .unknown)),
            .memberMuted(MemberMuted("张三", until: time)), .memberMuted(MemberMuted("张三", until: nil)),
            .memberBlocked(MemberBlocked("张三")), .memberBlocked(MemberBlocked("张三", false)),
        ]
        let inRoom: [EventBody] = [
            .chatRoomJoined(ChatRoomJoined(at: time)),
            .chatRoomLeft(ChatRoomLeft(at: time)), .chatRoomLeft(ChatRoomLeft(.dropped, at: .unknown)),
            .chatRoomLeft(ChatRoomLeft(.destroyed, at: time, purges: false)),
            .chatRoomEntriesChanged(ChatRoomEntriesChanged(set: ["礼物": "10"], remove: ["x"])),
        ]
        let ofAccount: [EventBody] = [
            .teamInfoFetched(
                TeamInfoFetched([TeamInfo(id: group, name: "家", avatarURL: "", kind: 2), TeamInfo(id: channel)])),
            .teamInfoInvalidated(TeamInfoInvalidated(nil)), .teamInfoInvalidated(TeamInfoInvalidated([])),
            .teamInfoInvalidated(TeamInfoInvalidated([group, channel])),
            .sessionStateChanged(SessionStateChanged(.connected)),
            .sessionStateChanged(SessionStateChanged(.kicked, code: -7, text: "被踢下线")),
        ]
        return inGroup.map { Event($0, in: group) } + inRoom.map { Event($0, in: room) } + ofAccount.map { Event($0) }
            + [
                Event(
                    .messageReceived(
                        MessageReceived(
                            serverID: "r1", sender: "张三", sentTime: time, content: .text(text),
                            senderProfile: SenderProfile(name: "三哥", avatarURL: nil))), in: room, origin: .live)
            ]
    }
}
