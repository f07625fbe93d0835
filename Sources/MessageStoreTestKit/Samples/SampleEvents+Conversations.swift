internal import MessageStore
internal import MessageStoreLog

extension SampleEvents {
    static let fullFields = ConversationFields(
        name: "家庭群", creator: "张三", avatarURL: "https://example.com/1.png", attributes: [0, 1, 255],
        indexed: ["类型": "1"], kind: .single)
    static let emptyFields = ConversationFields(name: "", creator: nil, avatarURL: "", attributes: [])

    static var conversations: [Event] {
        let order = MessageOrder(time: time, id: ServerMessageID(longest))
        let bodies: [any ConversationPayload] = [
            ConversationCreated(),
            ConversationCreated(fullFields, members: ["张三", "李四", "me"]),
            ConversationUpdated(ConversationFields()),
            ConversationUpdated(fullFields, by: "李四"),
            ConversationSnapshotReceived(emptyFields),
            ConversationSnapshotReceived(fullFields, members: []),
            ConversationSnapshotReceived(fullFields, members: (0..<300).map { UserID("user\($0)") }),
            ConversationRead(), ConversationRead(upTo: order),
            ConversationRead(upTo: MessageOrder(time: .latest)),
            ConversationTimerChanged(MessageTimer(seconds: .max, runsFromReading: true), at: time),
            ConversationTimerChanged(.off), ConversationMuted(true), ConversationMuted(false, at: time),
            ConversationMuted(.mentionsOnly, until: .latest, at: time), ConversationMuted(.nothing, until: time),
            ConversationDraftChanged(nil),
            ConversationDraftChanged(""),
            ConversationDraftChanged(text, at: time),
            ConversationDeleted(),
            ConversationDeleted(alsoMessages: true, isRemote: false),
            ConversationDeleted(alsoMessages: false, isRemote: true),
            MembersAdded(["张三"], kind: .joined),
            MembersAdded(["张三", "李四"], kind: .invited, by: "me"),
            MembersRemoved(["张三"], kind: .left),
            MembersRemoved(["张三", "张三"], kind: .kicked, by: "me", reason: text),
            MemberInfoChanged("张三"),
            MemberInfoChanged("张三", nickname: "", role: 0),
            MemberInfoChanged("张三", nickname: "三哥", role: 255, at: time),
            SelfInvited(), SelfInvited(by: "张三"),
            SelfKicked(), SelfKicked(by: "张三"),
        ]
        let flags: [any ConversationPayload] = EventCatalog.conversationFlags.flatMap { flag in
            [flag.init(true, at: nil), flag.init(false, at: time)]
        }
        return (bodies + flags).map { Event($0, in: group, origin: .offline) }
    }

    static var account: [Event] {
        let bodies: [any AccountPayload] = [
            ProfilesFetched([
                Profile(id: "张三"), Profile(id: "李四", userID: "", name: "李四", avatarURL: "https://example.com/2"),
                Profile(id: "王五", thumbnailURL: "https://example.com/s", attributes: [0, 255]),
            ]),
            ProfileFetchFailed(["张三"], code: -1),
            ProfileInvalidated(nil), ProfileInvalidated([]),
            ProfileInvalidated(["张三", "李四"]),
            ProfileInvalidated(nil, purges: true),
            ProfileInvalidated([], purges: true),
            OfflineSyncStarted(), OfflineSyncStarted(session: ""),
            OfflineSyncStarted(session: "会话"),
            OfflinePackageReceived(index: 0, messageCount: 0, hasMore: false),
            OfflinePackageReceived(index: .max, messageCount: .max, hasMore: true),
            ValuesErased(
                users: ["张三"], alsoMessages: true, conversations: [group], events: [Position(1), Position(7)]),
            ValuesErased(users: [], alsoMessages: false, conversations: [group], events: []),
            ValuesErased(users: [], alsoMessages: false, conversations: [group], events: [], alsoIDs: true),
            OfflineSyncCompleted(), RecordLost(), PendingChangeUpdated(Position(0), .waiting),
            PendingChangeUpdated(Position(.max), .failed, code: .min),
            SyncCursorAdvanced(name: longest, value: []),
            SyncCursorAdvanced(name: "c", value: [0, 255]),
        ]
        return bodies.map { Event($0) } + [
            Event(OfflineSyncCompleted(), id: "e1", origin: .live, serverTime: time, device: "d")
        ]
    }
}
