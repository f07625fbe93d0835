extension RecordEncoder {
    /// Writes what folds need beyond the envelope. The numbers are listed in `Docs/Format.md`.
    mutating func encodeFields(of body: EventBody, into writer: inout ByteWriter) throws {
        switch body {
        case .messageSendQueued(let event): try encode(event.context, into: &writer)
        case .messageReceived(let event): try encode(event.context, into: &writer)
        case .messageSent(let event): writer.field(3, event.message.rawValue)
        case .messageSendFailed(let event):
            writer.field(3, event.message.rawValue)
            writer.field(4, signed: Int64(event.code))
        case .messageSendRetried(let event): writer.field(3, event.message.rawValue)
        case .messageDelivered(let event): encode(event.scope, into: &writer)
        case .messageReadByPeer(let event):
            encode(event.scope, into: &writer)
            if let counts = event.counts {
                writer.field(6, UInt64(counts.read))
                writer.field(7, UInt64(counts.unread))
            }
        case .messageModified(let event): encode([event.message], into: &writer)
        case .messageRecalled(let event): encode([event.message], into: &writer)
        case .messagesDeleted(let event):
            encode(event.messages, into: &writer)
            writer.field(5, event.isRemote)
        case .historyCleared(let event):
            encode(event.upTo, at: 3, into: &writer)
            writer.field(5, event.isRemote)
        case .historyPageLoaded(let event):
            encode(event.newest, at: 3, into: &writer)
            encode(event.oldest, at: 5, into: &writer)
            writer.field(7, event.reachesBeginning)
            writer.field(8, event.reachesEnd)
        default:
            encodeStateFields(of: body, into: &writer)
            try encodeConversationFields(of: body, into: &writer)
        }
    }

    private func encodeStateFields(of body: EventBody, into writer: inout ByteWriter) {
        switch body {
        case .messageStatusOverridden(let event):
            encode([event.message], into: &writer)
            writer.field(5, UInt64(event.status.rawValue))
        case .readReceiptRequested(let event): encode(event.messages, into: &writer)
        case .readReceiptSent(let event): encode(event.messages, into: &writer)
        case .messageStatusFlagsSet(let event):
            encode(event.messages, into: &writer)
            writer.field(5, UInt64(event.flags.rawValue))
        case .messageExpansionChanged(let event):
            encode([event.message], into: &writer)
            writer.field(5, pairs: event.values)
            for key in event.removed { writer.field(6, key) }
        case .reactionAdded(let event):
            encode([event.message], into: &writer)
            writer.field(5, event.key)
        case .reactionRemoved(let event):
            encode([event.message], into: &writer)
            writer.field(5, event.key)
        case .attachmentStateChanged(let event):
            encode([event.message], into: &writer)
            writer.field(5, UInt64(event.state.rawValue))
        case .messageFiltered(let event):
            encode([event.message], into: &writer)
            writer.field(5, UInt64(event.verdict.code))
            writer.field(6, UInt64(event.filterVersion))
        case .messageDuplicateSuppressed(let event):
            if let original = event.duplicateOf { writer.field(3, original.rawValue) }
            writer.field(5, UInt64(event.rule.rawValue))
        case .historyGapFound(let event): encode(event.before, at: 3, into: &writer)
        case .unreadCountReported(let event):
            encode(event.upTo, at: 3, into: &writer)
            writer.field(5, UInt64(event.count))
            writer.field(6, UInt64(event.mentions))
        case .chatRoomLeft(let event):
            writer.field(3, UInt64(event.reason.rawValue))
            writer.field(4, event.purges)
        case .chatRoomEntriesChanged(let event):
            writer.field(3, pairs: event.values)
            for key in event.removed { writer.field(4, key) }
        default: break
        }
    }

    private mutating func encodeConversationFields(of body: EventBody, into writer: inout ByteWriter) throws {
        switch body {
        case .conversationCreated(let event):
            try encode(event.fields, into: &writer)
            try encode(users: event.members, at: 7, into: &writer)
        case .conversationUpdated(let event): try encode(event.fields, into: &writer)
        case .conversationSnapshotReceived(let event):
            try encode(event.fields, into: &writer)
            if let members = event.members { try encode(users: members, at: 7, into: &writer) }
        case .conversationRead(let event): encode(event.upTo, at: 3, into: &writer)
        case .conversationMarkedUnread(let event): writer.field(3, event.isMarked)
        case .conversationPinned(let event): writer.field(3, event.isPinned)
        case .conversationMuted(let event): writer.field(3, event.isMuted)
        case .conversationDraftChanged(let event): writer.field(3, event.text != nil)
        case .conversationTagged(let event):
            for tag in event.added { writer.field(3, tag) }
            for tag in event.removed { writer.field(4, tag) }
        case .conversationDeleted(let event):
            writer.field(3, event.alsoMessages)
            writer.field(4, event.isRemote)
        case .membersAdded(let event):
            try encode(users: event.members, at: 3, into: &writer)
            writer.field(4, UInt64(event.kind.rawValue))
        case .membersRemoved(let event):
            try encode(users: event.members, at: 3, into: &writer)
            writer.field(4, UInt64(event.kind.rawValue))
        case .memberInfoChanged(let event):
            writer.field(3, UInt64(try symbols.number(of: event.member)))
            writer.field(4, event.nickname)
            if let role = event.role { writer.field(5, UInt64(role)) }
        case .memberMuted(let event):
            writer.field(3, UInt64(try symbols.number(of: event.member)))
            if let until = event.until { writer.field(4, UInt64(bitPattern: until.milliseconds)) }
        case .memberBlocked(let event):
            writer.field(3, UInt64(try symbols.number(of: event.member)))
            writer.field(4, event.isBlocked)
        default: try encodeAccountFields(of: body, into: &writer)
        }
    }

    private mutating func encodeAccountFields(of body: EventBody, into writer: inout ByteWriter) throws {
        switch body {
        case .profilesFetched(let event):
            for profile in event.profiles { try encode(profile, at: 3, into: &writer) }
        case .profileFetchFailed(let event):
            try encode(users: event.ids, at: 3, into: &writer)
            writer.field(4, signed: Int64(event.code))
        case .profileInvalidated(let event):
            if let ids = event.ids { try encode(users: ids, at: 3, into: &writer) }
            writer.field(4, event.purges)
        case .teamInfoFetched(let event):
            for team in event.teams { try encode(team, at: 3, into: &writer) }
        case .teamInfoInvalidated(let event):
            if let ids = event.ids {
                var nested = ByteWriter(capacity: 16 + ids.count * 3)
                for id in ids { nested.varint(UInt64(try symbols.number(of: id))) }
                writer.field(3, nested.bytes.copied)
            }
        case .sessionStateChanged(let event):
            writer.field(3, UInt64(event.state.rawValue))
            writer.field(4, signed: Int64(event.code))
            writer.field(5, event.text)
        case .offlineSyncStarted(let event): writer.field(3, event.session)
        case .offlinePackageReceived(let event):
            writer.field(3, UInt64(event.index))
            writer.field(4, UInt64(event.messageCount))
            writer.field(5, event.hasMore)
        case .syncCursorAdvanced(let event):
            writer.field(3, event.name)
            writer.field(4, event.value)
        default: break
        }
    }

    /// Writes what redaction removes.
    func encodeContent(of body: EventBody, into writer: inout ByteWriter) {
        switch body {
        case .messageSendQueued(let event):
            encode(event.content, into: &writer)
            writer.field(4, event.context.pushText)
        case .messageReceived(let event):
            encode(event.content, into: &writer)
            writer.field(4, event.context.pushText)
            writer.field(5, event.senderProfile?.name)
            writer.field(6, event.senderProfile?.avatarURL)
        case .messageInsertedLocally(let event): encode(event.content, into: &writer)
        case .messageFiltered(let event):
            if case .replace(let content) = event.verdict { encode(content, into: &writer) }
        case .attachmentStateChanged(let event):
            writer.field(1, event.localPath)
            writer.field(2, event.remoteURL)
        case .messageModified(let event): encode(event.content, into: &writer)
        case .messageRecalled(let event): writer.field(1, event.reason)
        case .membersRemoved(let event): writer.field(1, event.reason)
        case .conversationDraftChanged(let event): writer.field(1, event.text)
        case .unknown(let event): writer.append(event.content)
        default: break
        }
    }

    private func encode(_ content: MessageContent, into writer: inout ByteWriter) {
        writer.field(1, content.text)
        if !content.data.isEmpty { writer.field(2, content.data) }
        if !content.attributes.isEmpty { writer.field(3, content.attributes) }
    }

    private mutating func encode(_ context: MessageContext, into writer: inout ByteWriter) throws {
        if !context.mentions.isEmpty { try encode(users: context.mentions, at: 3, into: &writer) }
        writer.field(4, context.mentionsEveryone)
        if let users = context.visibleTo { try encode(users: users, at: 5, into: &writer) }
        writer.field(6, context.replyTo?.rawValue)
        writer.field(7, context.forwardOf?.rawValue)
    }

    private func encode(_ messages: [MessageReference], into writer: inout ByteWriter) {
        for message in messages {
            switch message {
            case .local(let id): writer.field(3, id.rawValue)
            case .server(let id): writer.field(4, id.rawValue)
            }
        }
    }

    private func encode(_ scope: ReceiptScope, into writer: inout ByteWriter) {
        switch scope {
        case .messages(let messages): encode(messages, into: &writer)
        case .upTo(let time): writer.field(5, UInt64(bitPattern: time.milliseconds))
        }
    }

    private func encode(_ order: MessageOrder?, at number: UInt32, into writer: inout ByteWriter) {
        guard let order else { return }
        writer.field(number, UInt64(bitPattern: order.time.milliseconds))
        writer.field(number + 1, order.id?.rawValue)
    }

    private mutating func encode(_ fields: ConversationFields, into writer: inout ByteWriter) throws {
        writer.field(3, fields.name)
        if let creator = fields.creator { writer.field(4, UInt64(try symbols.number(of: creator))) }
        writer.field(5, fields.avatarURL)
        writer.field(6, fields.attributes)
        if let indexed = fields.indexed {
            var nested = ByteWriter()
            nested.field(1, pairs: indexed)
            writer.field(8, nested.bytes.copied)
        }
    }

    private mutating func encode(_ profile: Profile, at number: UInt32, into writer: inout ByteWriter) throws {
        var nested = ByteWriter(capacity: 128)
        nested.field(1, UInt64(try symbols.number(of: profile.id)))
        nested.field(2, profile.userID)
        nested.field(3, profile.name)
        nested.field(4, profile.avatarURL)
        writer.field(number, nested.bytes.copied)
    }

    private mutating func encode(_ team: TeamInfo, at number: UInt32, into writer: inout ByteWriter) throws {
        var nested = ByteWriter(capacity: 128)
        nested.field(1, UInt64(try symbols.number(of: team.id)))
        nested.field(2, team.name)
        nested.field(3, team.avatarURL)
        if let kind = team.kind { nested.field(4, UInt64(kind)) }
        writer.field(number, nested.bytes.copied)
    }

    /// A packed list of user numbers.
    private mutating func encode(users: [UserID], at number: UInt32, into writer: inout ByteWriter) throws {
        var nested = ByteWriter(capacity: 16 + users.count * 3)
        for user in users { nested.varint(UInt64(try symbols.number(of: user))) }
        writer.field(number, nested.bytes.copied)
    }
}
