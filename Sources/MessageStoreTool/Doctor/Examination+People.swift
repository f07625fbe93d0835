/// The members, reads and words that a log has reported so far, to compare later events with.
struct KnownPeople {
    /// Whoever was a member of a conversation, where a list of all members was reported.
    var members: [ConversationKey: Set<UserID>] = [:]
    /// Members with a role of their own, such as administrators.
    var roles: [ConversationKey: Set<UserID>] = [:]
    /// The removals of the account and of others from conversations, until they are back.
    var removals: [ConversationKey: [UserID: RecordedEvent]] = [:]
    /// Whoever is a member now, as far as events say.
    var present: [ConversationKey: Set<UserID>] = [:]
    /// Single conversations whose id is the peer's: one by this id has written there.
    var peers: Set<ConversationKey> = []
    /// Conversations with a timer, or messages with one.
    var timers: Set<ConversationKey> = []
    /// Messages by somebody who is neither the peer nor a member of the conversation, and how many are by one.
    var strangers = Sampled<RecordedEvent>(limit: 1_000)
    var peerMessages = 0
    /// Messages received live an hour or more from their time, and how many were received live.
    var farMessages = Sampled<RecordedEvent>(limit: 1_000)
    var liveMessages = 0
    /// Recalls by somebody without a role who did not send the message, and the count of all.
    var foreignRecalls = Sampled<(event: RecordedEvent, sender: UserID)>(limit: 1_000)
    var recalls = 0
    /// All conversations so far, and the first of each id, whatever its letter case.
    var conversations: Set<ConversationKey> = []
    var kinds: [String: ConversationKey] = [:]
    /// Up to where the account has read, and the event that says so.
    var reads: [ConversationKey: (place: MessageOrder, event: RecordedEvent)] = [:]
    /// The last messages of each sender, conversation and text.
    var texts = RecentValues<(position: Position, id: ServerMessageID, time: Timestamp)>(capacity: 1 << 16)
    /// Messages that say the same as another of their sender, a second to a minute apart.
    var repeats = Sampled<(event: RecordedEvent, first: Position, words: String, isLong: Bool)>(limit: 1_000)
    /// The last message of each conversation and second.
    var seconds = RecentValues<Timestamp>(capacity: 1 << 16)
    /// How many markers name a time with milliseconds.
    var exactMarkers = 0
}

extension Examination {
    /// Compares who did something with the members, and its words with earlier ones.
    mutating func examinePeople(_ event: Event, _ recorded: RecordedEvent, _ account: UserID) {
        guard let key = event.conversation else { return }
        examineKind(key, recorded)
        noteMembers(event, key, recorded, account)
        switch event.payload {
        case let message as MessageReceived: examine(message, key, recorded, account)
        case let role as MemberInfoChanged where role.role ?? 0 > 0: people.roles[key, default: []].insert(role.member)
        case is ConversationTimerChanged: people.timers.insert(key)
        case let queued as MessageSendQueued where queued.context.timer != nil: people.timers.insert(key)
        case let deleted as MessagesDeleted where deleted.isExpiry && !people.timers.contains(key):
            hit(.noTimer, recorded) { _ in NumberFormat.count(deleted.messages.count, "message", "messages") }
        case let read as ConversationRead: if let place = read.upTo { noteRead(place, key, recorded) }
        case let report as UnreadCountReported: examineCount(report.count, report.upTo, report.time, key, recorded)
        case let summary as ConversationSummaryReceived:
            examineCount(summary.unread?.count ?? 0, summary.unread?.upTo, event.serverTime, key, recorded)
            if let activity = summary.activity, let lead = recorded.lead(of: activity),
                times[Self.key(key, activity)] == nil
            {
                hit(.ahead, recorded, ["ahead": lead]) { _ in "activity \(lead) ahead" }
            }
        default:
            guard let member = event.receipt?.member, member != account, key.kind == .group,
                let known = people.members[key]
            else { return }
            if known.contains(member) { return pass(.foreignReceipt, recorded) }
            hit(.foreignReceipt, recorded) { "by \($0.label(of: member)), never one of \(known.count) members" }
        }
    }

    private mutating func examineKind(_ key: ConversationKey, _ recorded: RecordedEvent) {
        guard key.kind != .unspecified, people.conversations.insert(key).inserted else { return }
        if let first = people.kinds[key.caselessID] {
            return hit(.twoKinds, recorded) { _ in "there is \(first.plainWords)" }
        }
        people.kinds[key.caselessID] = key
    }

    private mutating func noteMembers(
        _ event: Event, _ key: ConversationKey, _ recorded: RecordedEvent, _ account: UserID
    ) {
        switch event.payload {
        case let created as ConversationCreated where !created.members.isEmpty:
            people.members[key, default: []].formUnion(created.members)
            people.present[key, default: []].formUnion(created.members)
            if let creator = created.fields.creator { people.roles[key, default: []].insert(creator) }
        case let snapshot as ConversationSnapshotReceived:
            guard let members = snapshot.members else { break }
            for user in people.present[key, default: []].subtracting(members) where user != account {
                people.removals[key, default: [:]][user] = recorded
            }
            people.members[key, default: []].formUnion(members)
            people.present[key] = Set(members)
        case let added as MembersAdded:
            people.members[key]?.formUnion(added.members)
            people.present[key]?.formUnion(added.members)
        case is SelfKicked: people.removals[key, default: [:]][account] = recorded
        case let removed as MembersRemoved:
            people.present[key]?.subtract(removed.members)
            guard removed.kind == .kicked else { break }
            for user in removed.members { people.removals[key, default: [:]][user] = recorded }
        case is SelfInvited: people.members[key]?.insert(account)
        default: break
        }
        guard people.removals[key] != nil else { return }
        switch event.payload {
        case is MembersAdded, is ConversationCreated, is ConversationSnapshotReceived, is SelfInvited:
            for user in event.namedMembers(account) ?? [] { people.removals[key]?[user] = nil }
        default: break
        }
    }

    private mutating func examine(
        _ message: MessageReceived, _ key: ConversationKey, _ recorded: RecordedEvent, _ account: UserID
    ) {
        if message.context.timer != nil { people.timers.insert(key) }
        if message.sender != account {
            let (sender, own) = (message.sender.rawValue.lowercased(), account.rawValue.lowercased())
            if sender.hasPrefix(own), [nil, "/", ":"].contains(sender.dropFirst(own.count).first) {
                hit(.ownCase, recorded) { _ in "\(message.sender), and the account is \(account)" }
            }
        }
        if key.kind == .single, message.sender.rawValue == key.id { people.peers.insert(key) }
        let isPeer =
            people.members[key]?.contains(message.sender)
            ?? (people.peers.contains(key) ? message.sender.rawValue == key.id : nil)
        if let isPeer, message.sender != account {
            if isPeer { people.peerMessages += 1 } else { people.strangers.add(recorded) }
        }
        if recorded.event.origin == .live { examineLive(message, key, recorded, account) }
        people.seconds[Self.second(key, message.sentTime)] = message.sentTime
        guard let text = message.content.text, !text.isEmpty else { return }
        let hash = [key.hashValue, message.sender.hashValue, text.hashValue].hashValue
        defer { people.texts[hash] = (recorded.position, message.serverID, message.sentTime) }
        guard let first = people.texts[hash], first.id != message.serverID,
            case let distance = (message.sentTime.milliseconds &- first.time.milliseconds).magnitude,
            (1_000..<60_000).contains(distance)
        else { return }
        let words = NumberFormat.duration(.milliseconds(distance))
        people.repeats.add((recorded, first.position, words, text.count >= 20))
    }

    /// Looks for messages after a removal, and for times far from the recording.
    private mutating func examineLive(
        _ message: MessageReceived, _ key: ConversationKey, _ recorded: RecordedEvent, _ account: UserID
    ) {
        for user in message.sender == account ? [] : [account, message.sender] {
            guard let removal = people.removals[key]?[user],
                message.sentTime > removal.event.serverTime ?? removal.clockTime
            else { continue }
            people.removals[key]?[user] = nil
            let position = recorded.position
            hit(.afterRemoval, removal) {
                "messages go on\(user == account ? "" : " by \($0.label(of: user))"), the first at \(position)"
            }
        }
        people.liveMessages += 1
        let distance = message.sentTime.milliseconds.subtractingReportingOverflow(recorded.clockTime.milliseconds)
        guard distance.overflow || distance.partialValue.magnitude >= 3_600_000 else { return }
        people.farMessages.add(recorded)
    }

    /// Reports messages that differ from nearly all of their log: live ones far from their time, and those by strangers.
    mutating func reportRareMessages() {
        func isRare(_ count: Int, among others: Int) -> Bool { others >= 100 && count <= max(1, others / 1_000) }
        if isRare(people.strangers.count, among: people.peerMessages) {
            for event in people.strangers.first {
                // A later list of members may have the sender.
                guard let sender = (event.event.payload as? MessageReceived)?.sender,
                    event.event.conversation.flatMap({ people.members[$0] })?.contains(sender) != true
                else { continue }
                find(.foreignSender, event) { "by \($0.label(of: sender))" }
            }
        }
        // Moderators recall many messages.
        if people.foreignRecalls.count <= max(1, people.recalls / 10) {
            for (event, sender) in people.foreignRecalls.first { reportForeign(event, sender) }
        }
        guard isRare(people.farMessages.count, among: people.liveMessages) else { return }
        for event in people.farMessages.first {
            guard let message = event.event.payload as? MessageReceived else { continue }
            find(.far, event) { _ in message.sentTime.words(recorded: event.clockTime) }
        }
    }

    /// Reports messages that say the same as another within a minute, if people of this log do not do that.
    mutating func reportRepeats() {
        guard people.repeats.count <= max(2, messages.count / 5_000) else { return }
        for (event, first, words, isLong) in people.repeats.first where isLong || people.repeats.count == 1 {
            find(.repeats, event) { _ in "says the same as \(first), \(words) later" }
        }
    }

    private static func second(_ key: ConversationKey, _ time: Timestamp) -> Int {
        [key.hashValue, Int(time.milliseconds / 1000)].hashValue
    }

    private mutating func noteRead(_ place: MessageOrder, _ key: ConversationKey, _ recorded: RecordedEvent) {
        if place.time.milliseconds % 1000 != 0 {
            people.exactMarkers += 1
        } else if people.exactMarkers >= 10, place.id == nil,
            let time = people.seconds[Self.second(key, place.time)], time > place.time
        {
            let others = NumberFormat.count(people.exactMarkers)
            let words =
                "\(recorded.event.payload.typeName), below a message of the same second; \(others) have milliseconds"
            hit(.cutTimes, recorded) { _ in words }
        }
        if place > people.reads[key]?.place ?? MessageOrder(time: .unknown) { people.reads[key] = (place, recorded) }
    }

    /// Looks for counts of messages that the account had read when the server counted them.
    private mutating func examineCount(
        _ count: UInt32, _ upTo: MessageOrder?, _ time: Timestamp?, _ key: ConversationKey, _ recorded: RecordedEvent
    ) {
        guard count > 0, let upTo, let read = people.reads[key], upTo <= read.place,
            time ?? recorded.clockTime > read.event.clockTime
        else { return pass(.takenBack, recorded) }
        hit(.takenBack, recorded) { _ in
            "\(count) up to \(upTo.time), read up to \(read.place.time) at \(read.event.position)"
        }
    }

    /// Looks for edits and recalls by somebody who neither sent the message nor has a role in the conversation.
    mutating func examineActor(_ event: RecordedEvent, of local: LocalMessageID, _ store: MessageStore) throws {
        if event.event.payload is MessageRecalled { people.recalls += 1 }
        guard let actor = event.event.editor, let key = event.event.conversation else { return }
        let sender: UserID? =
            switch try store.event(at: Position(local.rawValue))?.event.payload {
            case let message as MessageReceived: message.sender
            case is MessageSendQueued: store.account
            default: nil
            }
        guard let sender, sender != actor, people.roles[key]?.contains(actor) != true else {
            return pass(.foreignChange, event)
        }
        guard event.event.payload is MessageRecalled else { return reportForeign(event, sender) }
        people.foreignRecalls.add((event, sender))
    }

    private mutating func reportForeign(_ event: RecordedEvent, _ sender: UserID) {
        let actor = event.event.editor ?? ""
        hit(.foreignChange, event) { "by \($0.label(of: actor)), of a message of \($0.label(of: sender))" }
    }
}

extension Event {
    /// The user who edited or recalled a message; nil for its sender, and for other events.
    fileprivate var editor: UserID? {
        (payload as? MessageModified)?.actor ?? (payload as? MessageRecalled)?.actor
    }
}
