/// Turns a record back into an ``Event``.
package struct RecordDecoder<Symbols: SymbolResolver> {
    let symbols: Symbols

    package init(symbols: Symbols) {
        self.symbols = symbols
    }

    /// Decodes a record whose checksum was verified.
    ///
    /// - Throws: ``StoreError`` with code `recordDamaged` where its bytes do not make an event.
    package func event(from record: RecordView) throws -> Event {
        guard record.isWellFormed else {
            throw StoreError(.recordDamaged, "\(record.type) has broken fields", position: record.position)
        }
        return Event(
            try body(of: record),
            in: record.conversation == 0 ? nil : try symbols.conversation(record.conversation),
            id: record.flags.contains(.hasEventID) ? record.string(CommonField.eventID).map(EventID.init) : nil,
            origin: record.origin,
            serverTime: record.serverTime,
            device: record.string(CommonField.device).map(DeviceID.init)
        )
    }

    private func body(of record: RecordView) throws -> EventBody {
        switch record.type {
        case .messageSendQueued:
            .messageSendQueued(
                MessageSendQueued(
                    content: try content(of: record), clientToken: token(of: record), context: try context(of: record),
                    needsReceipt: record.flags.contains(.needsReceipt), policy: policy(of: record)))
        case .messageReceived:
            .messageReceived(
                MessageReceived(
                    serverID: ServerMessageID(record.serverID.string), sender: try symbols.user(record.actor),
                    sentTime: record.serverTime ?? .unknown, content: try content(of: record),
                    clientToken: token(of: record), policy: policy(of: record), context: try context(of: record),
                    needsReceipt: record.flags.contains(.needsReceipt), senderProfile: senderProfile(of: record)))
        case .messageSent:
            .messageSent(
                MessageSent(
                    message: local(of: record), serverID: ServerMessageID(record.serverID.string),
                    sentTime: record.serverTime ?? .unknown))
        case .messageSendFailed:
            .messageSendFailed(MessageSendFailed(message: local(of: record), code: record.signed(4)))
        case .messageSendRetried: .messageSendRetried(MessageSendRetried(message: local(of: record)))
        case .messageDelivered:
            .messageDelivered(MessageDelivered(scope(of: record), to: try actor(of: record), at: time(of: record)))
        case .messageReadByPeer:
            .messageReadByPeer(
                MessageReadByPeer(
                    scope(of: record), by: try actor(of: record), at: time(of: record), counts: counts(of: record)))
        case .messageModified:
            .messageModified(
                MessageModified(try reference(of: record), content: try content(of: record), at: time(of: record)))
        case .messageRecalled:
            .messageRecalled(
                MessageRecalled(
                    try reference(of: record), by: try actor(of: record), reason: contentString(1, of: record)))
        case .messagesDeleted:
            .messagesDeleted(MessagesDeleted(references(of: record), isRemote: flag(5, of: record)))
        case .historyCleared:
            .historyCleared(HistoryCleared(upTo: order(3, of: record), isRemote: flag(5, of: record)))
        case .historyPageLoaded:
            .historyPageLoaded(
                HistoryPageLoaded(
                    newest: order(3, of: record) ?? MessageOrder(time: .unknown),
                    oldest: order(5, of: record) ?? MessageOrder(time: .unknown),
                    reachesBeginning: flag(7, of: record), reachesEnd: flag(8, of: record)))
        default: try stateBody(of: record)
        }
    }

    private func stateBody(of record: RecordView) throws -> EventBody {
        switch record.type {
        case .messageStatusOverridden:
            .messageStatusOverridden(
                MessageStatusOverridden(
                    try reference(of: record), status: MessageStatus(rawValue: byte(5, of: record)) ?? .received))
        case .messageInsertedLocally:
            .messageInsertedLocally(
                MessageInsertedLocally(
                    content: try content(of: record),
                    sender: record.flags.contains(.isOutgoing) ? nil : try symbols.user(record.actor),
                    time: time(of: record),
                    updatesLastMessage: record.flags.contains(.updatesLastMessage)))
        case .readReceiptRequested: .readReceiptRequested(ReadReceiptRequested(references(of: record)))
        case .readReceiptSent: .readReceiptSent(ReadReceiptSent(references(of: record)))
        case .messageStatusFlagsSet:
            .messageStatusFlagsSet(
                MessageStatusFlagsSet(references(of: record), flags: MessageFlags(rawValue: byte(5, of: record))))
        case .messageExpansionChanged:
            .messageExpansionChanged(
                MessageExpansionChanged(
                    try reference(of: record), set: record.pairs(5), remove: record.strings(6), at: time(of: record)))
        case .reactionAdded:
            .reactionAdded(
                ReactionAdded(
                    try reference(of: record), key: record.string(5) ?? "", by: try symbols.user(record.actor),
                    at: time(of: record)))
        case .reactionRemoved:
            .reactionRemoved(
                ReactionRemoved(
                    try reference(of: record), key: record.string(5) ?? "", by: try symbols.user(record.actor),
                    at: time(of: record)))
        case .attachmentStateChanged:
            .attachmentStateChanged(
                AttachmentStateChanged(
                    try reference(of: record), state: AttachmentState(rawValue: byte(5, of: record)) ?? .local,
                    localPath: contentString(1, of: record), remoteURL: contentString(2, of: record)))
        default: try verdictBody(of: record)
        }
    }

    private func verdictBody(of record: RecordView) throws -> EventBody {
        switch record.type {
        case .messageFiltered:
            .messageFiltered(
                MessageFiltered(
                    try reference(of: record), verdict: try verdict(of: record),
                    filterVersion: UInt32(truncatingIfNeeded: record.number(6) ?? 0)))
        case .messageDuplicateSuppressed:
            .messageDuplicateSuppressed(
                MessageDuplicateSuppressed(
                    serverID: ServerMessageID(record.serverID.string),
                    duplicateOf: record.number(3).map { LocalMessageID($0) },
                    rule: DuplicateRule(rawValue: byte(5, of: record)) ?? .content))
        case .historyGapFound: .historyGapFound(HistoryGapFound(before: order(3, of: record)))
        case .unreadCountReported:
            .unreadCountReported(
                UnreadCountReported(
                    UInt32(truncatingIfNeeded: record.number(5) ?? 0),
                    mentions: UInt32(truncatingIfNeeded: record.number(6) ?? 0),
                    upTo: order(3, of: record) ?? MessageOrder(time: .unknown), at: time(of: record)))
        case .chatRoomJoined: .chatRoomJoined(ChatRoomJoined(at: time(of: record)))
        case .chatRoomLeft:
            .chatRoomLeft(
                ChatRoomLeft(
                    ChatRoomLeaveReason(rawValue: byte(3, of: record)) ?? .quit, at: time(of: record),
                    purges: flag(4, of: record)))
        case .chatRoomEntriesChanged:
            .chatRoomEntriesChanged(ChatRoomEntriesChanged(set: record.pairs(3), remove: record.strings(4)))
        default: try conversationBody(of: record)
        }
    }

    private func conversationBody(of record: RecordView) throws -> EventBody {
        switch record.type {
        case .conversationCreated:
            .conversationCreated(
                ConversationCreated(try fields(of: record), members: try users(7, of: record) ?? []))
        case .conversationUpdated:
            .conversationUpdated(ConversationUpdated(try fields(of: record), by: try actor(of: record)))
        case .conversationSnapshotReceived:
            .conversationSnapshotReceived(
                ConversationSnapshotReceived(try fields(of: record), members: try users(7, of: record)))
        case .conversationRead: .conversationRead(ConversationRead(upTo: order(3, of: record)))
        case .conversationMarkedUnread: .conversationMarkedUnread(ConversationMarkedUnread(flag(3, of: record)))
        case .conversationPinned: .conversationPinned(ConversationPinned(flag(3, of: record)))
        case .conversationMuted: .conversationMuted(ConversationMuted(flag(3, of: record)))
        case .conversationDraftChanged:
            .conversationDraftChanged(ConversationDraftChanged(contentString(1, of: record)))
        case .conversationInvalidated: .conversationInvalidated(ConversationInvalidated())
        case .conversationTagged:
            .conversationTagged(ConversationTagged(add: record.strings(3), remove: record.strings(4)))
        case .conversationDeleted:
            .conversationDeleted(ConversationDeleted(alsoMessages: flag(3, of: record), isRemote: flag(4, of: record)))
        case .membersAdded:
            .membersAdded(
                MembersAdded(
                    try users(3, of: record) ?? [], kind: JoinKind(rawValue: byte(4, of: record)) ?? .joined,
                    by: try actor(of: record)))
        case .membersRemoved:
            .membersRemoved(
                MembersRemoved(
                    try users(3, of: record) ?? [], kind: LeaveKind(rawValue: byte(4, of: record)) ?? .left,
                    by: try actor(of: record), reason: contentString(1, of: record)))
        case .memberInfoChanged:
            .memberInfoChanged(
                MemberInfoChanged(
                    try symbols.user(UInt32(truncatingIfNeeded: record.number(3) ?? 0)), nickname: record.string(4),
                    role: record.number(5).map { UInt8(truncatingIfNeeded: $0) }))
        case .memberMuted:
            .memberMuted(
                MemberMuted(
                    try symbols.user(UInt32(truncatingIfNeeded: record.number(3) ?? 0)),
                    until: record.number(4).map { Timestamp(milliseconds: Int64(bitPattern: $0)) }))
        case .memberBlocked:
            .memberBlocked(
                MemberBlocked(
                    try symbols.user(UInt32(truncatingIfNeeded: record.number(3) ?? 0)), flag(4, of: record)))
        case .selfInvited: .selfInvited(SelfInvited(by: try actor(of: record)))
        case .selfKicked: .selfKicked(SelfKicked(by: try actor(of: record)))
        default: try accountBody(of: record)
        }
    }

    private func accountBody(of record: RecordView) throws -> EventBody {
        switch record.type {
        case .profilesFetched: .profilesFetched(ProfilesFetched(try profiles(of: record)))
        case .profileFetchFailed:
            .profileFetchFailed(ProfileFetchFailed(try users(3, of: record) ?? [], code: record.signed(4)))
        case .profileInvalidated:
            .profileInvalidated(ProfileInvalidated(try users(3, of: record), purges: flag(4, of: record)))
        case .teamInfoFetched: .teamInfoFetched(TeamInfoFetched(try teams(of: record)))
        case .teamInfoInvalidated:
            .teamInfoInvalidated(
                TeamInfoInvalidated(try record.packed(3).map { try $0.map { try symbols.conversation($0) } }))
        case .sessionStateChanged:
            .sessionStateChanged(
                SessionStateChanged(
                    SessionState(rawValue: byte(3, of: record)) ?? .closed, code: record.signed(4),
                    text: record.string(5)))
        case .offlineSyncStarted: .offlineSyncStarted(OfflineSyncStarted(session: record.string(3)))
        case .offlinePackageReceived:
            .offlinePackageReceived(
                OfflinePackageReceived(
                    index: UInt32(truncatingIfNeeded: record.number(3) ?? 0),
                    messageCount: UInt32(truncatingIfNeeded: record.number(4) ?? 0), hasMore: flag(5, of: record)))
        case .offlineSyncCompleted: .offlineSyncCompleted(OfflineSyncCompleted())
        case .syncCursorAdvanced:
            .syncCursorAdvanced(
                SyncCursorAdvanced(name: record.string(3) ?? "", value: record.fieldContent(4)?.copied ?? []))
        default:
            .unknown(
                UnknownEvent(
                    type: record.type, schemaVersion: record.schemaVersion, fields: record.fieldBytes.copied,
                    content: record.content.copied))
        }
    }
}
