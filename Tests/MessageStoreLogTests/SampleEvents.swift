@_spi(Storage) import MessageStoreLog

extension SampleEvents {
    static let fullFields = ConversationFields(
        name: "家庭群", creator: "张三", avatarURL: "https://example.com/1.png", attributes: [0, 1, 255])
    static let emptyFields = ConversationFields(name: "", creator: nil, avatarURL: "", attributes: [])

    static var conversations: [Event] {
        let order = MessageOrder(time: time, id: ServerMessageID(longest))
        let bodies: [EventBody] = [
            .conversationCreated(ConversationCreated()),
            .conversationCreated(ConversationCreated(fullFields, members: ["张三", "李四", "me"])),
            .conversationUpdated(ConversationUpdated(ConversationFields())),
            .conversationUpdated(ConversationUpdated(fullFields, by: "李四")),
            .conversationSnapshotReceived(ConversationSnapshotReceived(emptyFields)),
            .conversationSnapshotReceived(ConversationSnapshotReceived(fullFields, members: [])),
            .conversationSnapshotReceived(
                ConversationSnapshotReceived(fullFields, members: (0..<300).map { UserID("user\($0)") })),
            .conversationRead(ConversationRead()), .conversationRead(ConversationRead(upTo: order)),
            .conversationRead(ConversationRead(upTo: MessageOrder(time: .latest))),
            .conversationMarkedUnread(ConversationMarkedUnread(true)),
            .conversationMarkedUnread(ConversationMarkedUnread(false)),
            .conversationPinned(ConversationPinned(true)), .conversationPinned(ConversationPinned(false)),
            .conversationMuted(ConversationMuted(true)), .conversationMuted(ConversationMuted(false)),
            .conversationDraftChanged(ConversationDraftChanged(nil)),
            .conversationDraftChanged(ConversationDraftChanged("")),
            .conversationDraftChanged(ConversationDraftChanged(text)),
            .conversationDeleted(ConversationDeleted()),
            .conversationDeleted(ConversationDeleted(alsoMessages: true, isRemote: false)),
            .conversationDeleted(ConversationDeleted(alsoMessages: false, isRemote: true)),
            .membersAdded(MembersAdded(["张三"], kind: .joined)),
            .membersAdded(MembersAdded(["张三", "李四"], kind: .invited, by: "me")),
            .membersRemoved(MembersRemoved(["张三"], kind: .left)),
            .membersRemoved(MembersRemoved(["张三", "张三"], kind: .kicked, by: "me", reason: text)),
            .memberInfoChanged(MemberInfoChanged("张三")),
            .memberInfoChanged(MemberInfoChanged("张三", nickname: "", role: 0)),
            .memberInfoChanged(MemberInfoChanged("张三", nickname: "三哥", role: 255)),
            .selfInvited(SelfInvited()), .selfInvited(SelfInvited(by: "张三")),
            .selfKicked(SelfKicked()), .selfKicked(SelfKicked(by: "张三")),
        ]
        return bodies.map { Event($0, in: group, origin: .offline) }
    }

    static var account: [Event] {
        let bodies: [EventBody] = [
            .profilesFetched(
                ProfilesFetched([
                    Profile(id: "张三"), Profile(id: "李四", userID: "", name: "李四", avatarURL: "https://example.com/2"),
                ])),
            .profileFetchFailed(ProfileFetchFailed(["张三"], code: -1)),
            .profileInvalidated(ProfileInvalidated(nil)), .profileInvalidated(ProfileInvalidated([])),
            .profileInvalidated(ProfileInvalidated(["张三", "李四"])),
            .profileInvalidated(ProfileInvalidated(nil, purges: true)),
            .profileInvalidated(ProfileInvalidated([], purges: true)),
            .offlineSyncStarted(OfflineSyncStarted()), .offlineSyncStarted(OfflineSyncStarted(session: "")),
            .offlineSyncStarted(OfflineSyncStarted(session: "会话")),
            .offlinePackageReceived(OfflinePackageReceived(index: 0, messageCount: 0, hasMore: false)),
            .offlinePackageReceived(OfflinePackageReceived(index: .max, messageCount: .max, hasMore: true)),
            .offlineSyncCompleted(OfflineSyncCompleted()),
            .syncCursorAdvanced(SyncCursorAdvanced(name: longest, value: [])),
            .syncCursorAdvanced(SyncCursorAdvanced(name: "c", value: [0, 255])),
        ]
        return bodies.map { Event($0) } + [
            Event(.offlineSyncCompleted(OfflineSyncCompleted()), id: "e1", origin: .live, serverTime: time, device: "d")
        ]
    }
}

extension Event {
    /// The event as the log gives it back: times of bodies stand as the server time.
    var asRecorded: Event {
        var event = self
        switch body {
        case .messageReceived(let body): event.serverTime = body.sentTime
        case .messageSent(let body): event.serverTime = body.sentTime
        case .messageModified(let body): event.serverTime = body.time
        case .messageDelivered(let body): event.serverTime = body.time
        case .messageReadByPeer(let body): event.serverTime = body.time
        case .messageInsertedLocally(let body): event.serverTime = body.time
        case .messageExpansionChanged(let body): event.serverTime = body.time
        case .reactionAdded(let body): event.serverTime = body.time
        case .reactionRemoved(let body): event.serverTime = body.time
        case .unreadCountReported(let body): event.serverTime = body.time
        case .chatRoomJoined(let body): event.serverTime = body.time
        case .chatRoomLeft(let body): event.serverTime = body.time
        default: break
        }
        return event
    }
}
