package import MessageStore
internal import MessageStoreLog

extension SampleEvents {
    package static let room = ConversationKey(.chatRoom, "直播间")
    private static let local = MessageReference.local(LocalMessageID(3))

    static var states: [Event] {
        let bodies: [any ConversationPayload] = [
            MessageStatusOverridden(local, status: .failed),
            MessageInsertedLocally(content: fullContent, sender: "张三", time: time, updatesLastMessage: false),
            MessageInsertedLocally(content: .text(text), time: .unknown),
            ReadReceiptRequested([.server("s1"), local]),
            ReadReceiptSent([local]), ReadReceiptSent(.upTo(time)),
            MessageStatusFlagsSet([.server("s1")], flags: [.read, .retrieved]),
            MessageStatusFlagsSet([local], flags: [.listened, .downloaded]),
            MessageMetadataChanged(.server("s1"), set: ["颜色": "红", "b": ""], remove: ["c", "d"], at: time),
            MessageMetadataChanged(local, at: .latest),
            ReactionAdded(.server("s1"), key: "👍", by: "张三", at: time),
            ReactionRemoved(local, key: "👍", by: "me", at: .unknown),
            AttachmentStateChanged(local, state: .uploading, localPath: "/tmp/图.png"),
            AttachmentStateChanged(.server("s1"), state: .failed, localPath: "", remoteURL: "https://x"),
            AttachmentStateChanged(local, state: .available, localPath: "/f", byteCount: EventLimits.fileBytes),
            AttachmentStateChanged(.server("s1"), state: .local, byteCount: 0, index: 255),
            MessageFiltered(.server("s1"), verdict: .keep),
            MessageFiltered(.server("s1"), verdict: .hide, filterVersion: .max),
            MessageFiltered(local, verdict: .replace(fullContent), filterVersion: 0),
            MessageFiltered(local, verdict: .replace(emptyContent)),
            MessageDuplicateSuppressed(serverID: "s8", duplicateOf: LocalMessageID(1), rule: .clientToken),
            MessageDuplicateSuppressed(serverID: ServerMessageID(longest), duplicateOf: nil, rule: .content),
            HistoryGapFound(),
            ThreadRead("s1"), ThreadRead(ServerMessageID(longest), upTo: MessageOrder(time: time, id: "s2")),
            MessagePinned(.server("s1"), by: "李四", at: time), MessagePinned(local, false),
            MessageStarred(.server("s9"), at: time), MessageStarred(local, false),
            MessageSnapshotReceived(.server("s1"), isRecalled: true),
            MessageSnapshotReceived(
                local, asOf: time, sentTime: time, content: fullContent, modifiedTime: time, mentions: ["me", "张三"],
                mentionsEveryone: true,
                reactions: [
                    ReactionSummary(key: "👍", users: ["张三", "me"]), ReactionSummary(key: "x", count: .max),
                ], counts: ReadCounts(read: 1, unread: 0), deliveredCount: .max, flags: [.read]),
            MessageSnapshotReceived(.server("s1"), content: emptyContent, modifiedTime: .unknown, reactions: []),
            HistoryGapFound(before: MessageOrder(time: time, id: "s1")),
            MessageReadByPeer(.messages([.server("s1")]), at: time, counts: ReadCounts(read: 0, unread: .max)),
        ]
        return bodies.map { Event($0, in: group, origin: .live) }
    }

    private static var summary: ConversationSummaryReceived {
        var summary = ConversationSummaryReceived(
            activity: time, unread: .init(.max, mentions: 7, upTo: MessageOrder(time: time, id: "s1")),
            readUpTo: MessageOrder(time: .latest), isMuted: false)
        for flag in ConversationSummaryReceived.flags { summary[keyPath: flag.value] = true }
        return summary
    }

    static var conversationStates: [Event] {
        let inGroup: [any ConversationPayload] = [
            ConversationInvalidated(),
            ConversationTagged(add: ["工作", "a"], remove: ["b"], at: time),
            ConversationTagged(),
            ConversationUpdated(ConversationFields(indexed: ["type": "1", "主题": "饭"])),
            ConversationUpdated(ConversationFields(indexed: [:])),
            ConversationUpdated(ConversationFields(kind: ConversationKind(rawValue: 255))),
            UnreadCountReported(7, mentions: 7, upTo: MessageOrder(time: time, id: "s1"), at: time),
            UnreadCountReported(7), UnreadCountReported(0, at: time),
            UnreadCountReported(.max, upTo: MessageOrder(time: .latest), at: .unknown),
            ConversationSummaryReceived(),
            summary,
            ConversationSummaryReceived(unread: .init(0), readUpTo: MessageOrder(time: time, id: "s1")),
            MemberMuted("张三", until: time), MemberMuted("张三", until: nil),
            MemberBlocked("张三"), MemberBlocked("张三", false),
        ]
        let inRoom: [any ConversationPayload] = [
            ChatRoomJoined(at: time),
            ChatRoomLeft(at: time), ChatRoomLeft(.dropped, at: .unknown),
            ChatRoomLeft(.destroyed, at: time, purges: false),
            ChatRoomEntriesChanged(set: ["礼物": "10"], remove: ["x"]),
        ]
        let ofAccount: [any AccountPayload] = [
            TeamInfoFetched([TeamInfo(id: group, name: "家", avatarURL: "", kind: 2), TeamInfo(id: channel)]),
            TeamInfoFetched([TeamInfo(id: group, thumbnailURL: "https://x/s", attributes: [])]),
            ContactsReceived([
                ContactInfo(id: "张三", remark: "三哥", attributes: Array("{}".utf8)), ContactInfo(id: "李四", remark: ""),
            ]),
            ConversationFolderChanged("工作", name: "家", condition: #"{"all":[]}"#, order: .min, at: time),
            ConversationFolderChanged("x", condition: nil, order: .max),
            ContactsReceived([], replacesAll: true), ContactsRemoved(["张三", "王五"]),
            UsersBlocked(["李四"], at: time), UsersBlocked(["李四", "张三"], false),
            TeamInfoInvalidated(nil), TeamInfoInvalidated([]),
            TeamInfoInvalidated([group, channel]),
            SessionStateChanged(.connected),
            SessionStateChanged(.kicked, code: -7, text: "被踢下线"),
        ]
        return inGroup.map { Event($0, in: group) } + inRoom.map { Event($0, in: room) } + ofAccount.map { Event($0) }
            + [
                Event(
                    MessageReceived(
                        serverID: "r1", sender: "张三", sentTime: time, content: .text(text),
                        senderProfile: SenderProfile(name: "三哥", avatarURL: "")), in: room, origin: .live)
            ]
    }
}

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
            ConversationDraftChanged(
                draft: Draft(
                    fullContent, attachments: [text, ""], mentions: ["me", "张三"], mentionsEveryone: true,
                    replyTo: .server("s1"), editing: .local(LocalMessageID(7))), thread: "s1", at: time),
            ConversationDraftChanged(
                draft: Draft(emptyContent, replyTo: .local(LocalMessageID(7)), editing: .server("s1"))),
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
