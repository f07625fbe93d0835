internal import MessageStore
internal import MessageStoreLog
internal import MessageStoreWorkload

extension RandomEvents {
    mutating func conversationEvent(in key: ConversationKey) -> Event {
        if let timer = maybeTimer() { return Event(ConversationTimerChanged(timer, at: maybeTime()), in: key) }
        return switch random.nextIndex(24) {
        case 0..<6: reading(in: key)
        case 6..<10, 22, 23: flag(in: key)
        case 10, 11: Event(ConversationMuted(level(), until: maybeLimit(), at: maybeTime()), in: key)
        case 12, 13:
            draft(in: key)
        case 14, 15:
            deletion(in: key)
        case 16: clearing(in: key)
        case 17: historyPage(in: key)
        case 20, 21: summary(in: key)
        default: informationEvent(in: key)
        }
    }

    /// A third of them are of threads. Nothing is drawn for it, so that the other events of a seed stay what they are.
    private mutating func draft(in key: ConversationKey) -> Event {
        let text = random.chance(0.6) ? "draft" : nil
        drafts += 1
        guard drafts.isMultiple(of: 3) else { return Event(ConversationDraftChanged(text, at: maybeTime()), in: key) }
        let draft = text.map { text in
            Draft(
                MessageContent(type: drafts.isMultiple(of: 2) ? .text : .image, text: text), mentions: ["u1"],
                replyTo: .server("s\(drafts % 9)"))
        }
        let thread = ServerMessageID("s\(drafts % 5)")
        return Event(ConversationDraftChanged(draft: draft, thread: thread, at: maybeTime()), in: key)
    }

    /// Half of them keep some of the newest messages.
    private mutating func clearing(in key: ConversationKey) -> Event {
        var event = HistoryCleared(upTo: order(), erases: random.chance(0.3))
        if event.upTo?.time.milliseconds.isMultiple(of: 2) == true {
            event.kept = received.suffix(30).filter { $0.conversation == key }.enumerated().compactMap { index, event in
                guard index.isMultiple(of: 3), let message = event.payload as? MessageReceived else { return nil }
                return .server(message.serverID)
            }
            event.kept += queued.suffix(9).filter { $0.conversation == key }
                .map { .local(LocalMessageID($0.position)) }
        }
        return Event(event, in: key)
    }

    private mutating func deletion(in key: ConversationKey) -> Event {
        let alsoMessages = random.chance(0.5)
        return Event(
            ConversationDeleted(alsoMessages: alsoMessages, erases: alsoMessages && random.chance(0.3)), in: key)
    }

    private mutating func flag(in key: ConversationKey) -> Event {
        let flags = EventCatalog.conversationFlags
        let type = flags[random.nextIndex(flags.count)]
        return Event(type.init(random.chance(0.6), at: maybeTime()), in: key)
    }

    private mutating func reading(in key: ConversationKey) -> Event {
        let order = order()
        let isHere = order?.time.milliseconds.isMultiple(of: 3) == true
        return Event(ConversationRead(upTo: order), in: key, origin: isHere ? .local : .otherDevice)
    }

    private mutating func level() -> NotificationLevel {
        random.chance(0.4) ? .all : random.chance(0.5) ? .mentionsOnly : .nothing
    }

    /// Seldom over, else soon or never over.
    private mutating func maybeLimit() -> Timestamp? {
        guard random.chance(0.5) else { return nil }
        return random.chance(0.1)
            ? .latest : Timestamp(milliseconds: time().milliseconds + Int64(random.nextIndex(30_000)))
    }

    private mutating func summary(in key: ConversationKey) -> Event {
        let count = UInt32(random.chance(0.2) ? 0 : random.nextIndex(50))
        let unread = ConversationSummaryReceived.Unread(
            count, mentions: UInt32(random.nextIndex(Int(count) + 1)), upTo: order())
        var summary = ConversationSummaryReceived(
            activity: random.chance(0.5) ? time() : nil, unread: random.chance(0.5) ? unread : nil,
            readUpTo: random.chance(0.4) ? order() : nil, isMuted: maybeBool())
        for flag in ConversationSummaryReceived.flags { summary[keyPath: flag.value] = maybeBool() }
        return Event(summary, in: key, origin: .live, serverTime: random.chance(0.5) ? time() : nil)
    }

    private mutating func maybeBool() -> Bool? { random.chance(0.2) ? random.chance(0.6) : nil }

    private mutating func historyPage(in key: ConversationKey) -> Event {
        let times = [time(), time()].sorted()
        let page = HistoryPageLoaded(
            newest: MessageOrder(time: times[1], id: serverID()), oldest: MessageOrder(time: times[0]),
            reachesBeginning: random.chance(0.2), reachesEnd: random.chance(0.2))
        return Event(page, in: key, origin: .history)
    }

    private mutating func informationEvent(in key: ConversationKey) -> Event {
        let fields = ConversationFields(
            name: random.chance(0.5) ? "name \(random.nextIndex(9))" : random.chance(0.2) ? "" : nil,
            creator: maybeUser(), avatarURL: random.chance(0.3) ? "url" : nil,
            attributes: maybeAttributes(), indexed: maybeIndexed(), kind: maybeKind(of: key))
        let members = random.chance(0.5) ? someUsers() : []
        switch random.nextIndex(3) {
        case 0:
            return Event(
                ConversationCreated(fields, members: members), in: key,
                serverTime: random.chance(0.5) ? time() : nil)
        case 1: return Event(ConversationUpdated(fields, by: maybeUser()), in: key)
        default:
            return Event(
                ConversationSnapshotReceived(fields, members: random.chance(0.6) ? members : nil), in: key)
        }
    }

    mutating func memberEvent(in key: ConversationKey) -> Event {
        switch random.nextIndex(8) {
        case 0..<3:
            let kind: JoinKind = random.chance(0.5) ? .invited : .joined
            return Event(MembersAdded(someUsers(), kind: kind, by: maybeUser()), in: key)
        case 3, 4:
            let kind: LeaveKind = random.chance(0.5) ? .kicked : .left
            return Event(MembersRemoved(someUsers(), kind: kind, by: maybeUser()), in: key)
        case 5:
            let nickname = random.chance(0.6) ? "nick \(random.nextIndex(5))" : random.chance(0.5) ? "" : nil
            let role: UInt8? = random.chance(0.5) ? UInt8(random.nextIndex(4)) : nil
            return Event(MemberInfoChanged(user(), nickname: nickname, role: role, at: maybeTime()), in: key)
        case 6:
            let time: Timestamp? = random.chance(0.5) ? time() : nil
            return Event(SelfInvited(by: maybeUser()), in: key, serverTime: time)
        default: return Event(SelfKicked(by: maybeUser()), in: key)
        }
    }

    mutating func accountEvent() -> Event {
        switch random.nextIndex(15) {
        case 13, 14: return folderEvent()
        case 10...12: return contactEvent()
        case 9:
            let states: [SessionState] = [.connected, .connected, .connected, .connecting, .disconnected, .kicked]
            let state = states[random.nextIndex(states.count)]
            return Event(SessionStateChanged(state, text: random.chance(0.5) ? "t" : nil))
        case 8:
            let type = EventType(rawValue: 0x8000 + UInt16(random.nextIndex(3)))
            let unknown = UnknownEvent(type: type, content: [UInt8(random.nextIndex(256))])
            return Event(any: unknown, in: random.chance(0.5) ? conversation() : nil)
        case 0..<3:
            let profiles = someUsers().map { user in
                Profile(
                    id: user, userID: random.chance(0.3) ? "app-\(user)" : nil, name: profileName(),
                    avatarURL: random.chance(0.4) ? "picture \(random.nextIndex(3))" : nil,
                    thumbnailURL: random.chance(0.2) ? "small" : nil, attributes: random.chance(0.2) ? [1] : nil)
            }
            return Event(ProfilesFetched(profiles))
        case 3: return Event(ProfileFetchFailed(someUsers(), code: -3))
        case 4:
            return Event(
                ProfileInvalidated(random.chance(0.5) ? nil : someUsers(), purges: random.chance(0.3)))
        case 5:
            return Event(
                SyncCursorAdvanced(name: "c\(random.nextIndex(2))", value: [UInt8(random.nextIndex(256))]))
        case 6: return Event(OfflineSyncStarted(session: random.chance(0.5) ? "s" : nil))
        default: return Event(OfflineSyncCompleted())
        }
    }

    private mutating func profileName() -> String? {
        random.chance(0.7) ? "Name \(random.nextIndex(20))" : random.chance(0.3) ? "" : nil
    }
}
