package import MessageStore

/// What is unread, listed and on the badge, by the documented rules over the recorded events and nothing else.
///
/// Everything is computed anew from the whole log for each question: sets and maxima over what the log says, no running
/// counts. It shares no code and no way of thinking with the projections or with ``StoreModel``, so it can find a rule that
/// both have wrong.
package struct UnreadOracle {
    /// What a conversation shows of its unread messages.
    package struct Unread: Hashable, Sendable {
        /// Unread messages.
        package var messages = 0
        /// Those that mention the account.
        package var mentions = 0
        /// Those of them that mention everyone and not the account by name.
        package var everyoneMentions = 0
        /// Whether the conversation carries the mark "unread".
        package var isMarked = false
        /// What it adds to the badge.
        package func badge(_ level: NotificationLevel) -> Int {
            switch level {
            case .all: messages > 0 ? messages : isMarked ? 1 : 0
            case .mentionsOnly: mentions
            case .nothing: 0
            }
        }

        /// Creates a count.
        package init(messages: Int = 0, mentions: Int = 0, everyoneMentions: Int = 0, isMarked: Bool = false) {
            self.messages = messages
            self.mentions = mentions
            self.everyoneMentions = everyoneMentions
            self.isMarked = isMarked
        }
    }

    /// Where a store found the read marker after a call, where no number that was reported is in force.
    ///
    /// Whether a number is a place depends on which stretches of a timeline have no holes, of which the oracle knows nothing: it
    /// takes the marker over, and checks that what is counted is what is above it.
    package typealias Placements = [ConversationKey: [(upTo: Position, marker: MessageOrder?)]]

    private let conversations: [ConversationKey: Conversation]

    /// Creates an oracle of a log.
    ///
    /// - Parameters:
    ///   - account: The account of the store.
    ///   - log: All events of a store.
    ///   - calls: For each call that recorded events, the first position behind those before it, in increasing order; each event
    ///     before the first of them is a call of its own.
    ///   - placements: The markers after calls, in the order of the log.
    package init(account: UserID, log: [RecordedEvent], calls: [Position], placements: Placements = [:]) {
        var conversations: [ConversationKey: Conversation] = [:]
        var call: Position?
        var later = calls[...]
        for recorded in log {
            while let next = later.first, next <= recorded.position { call = later.removeFirst() }
            guard let key = recorded.event.conversation else { continue }
            let entry = Entry(
                position: recorded.position.rawValue, call: (call ?? recorded.position).rawValue,
                moment: Moment(of: recorded.event, at: recorded.recordedTime), event: recorded.event)
            conversations[key, default: Conversation(account: account, placements: placements[key] ?? [])].entries
                .append(entry)
        }
        self.conversations = conversations
    }

    /// What is unread in a conversation.
    package func unread(of key: ConversationKey) -> Unread {
        conversations[key]?.unread ?? Unread()
    }

    /// The sum over the listed conversations: the unread messages of each that is not muted, or one for a mark alone, and the
    /// mentions of those of which mentions alone notify.
    ///
    /// - Parameters:
    ///   - archived: Whether those in the archive count.
    ///   - moment: When; what is muted until then no longer is.
    package func badge(archived: ArchivedConversations = .included, at moment: Timestamp) -> Int {
        conversations.filter { isListed($0.key) == true }
            .filter { archived == .included || isArchived($0.key) == (archived == .only) }
            .map { unread(of: $0.key).badge($0.value.level(at: moment)) }.reduce(0, +)
    }

    /// Whether a conversation is in the list; nil where the documents do not say: of one that nothing lists and that was
    /// never deleted, but of which settings, members or the like were told.
    package func isListed(_ key: ConversationKey) -> Bool? {
        guard key.kind != .chatRoom, let conversation = conversations[key] else { return false }
        return conversation.isListed ? true : conversation.mayBeListed ? nil : false
    }

    /// Whether a conversation is in the archive.
    package func isArchived(_ key: ConversationKey) -> Bool { conversations[key]?.isArchived == true }

    /// The listed conversations, the first one first: those of the archive behind the others, of both those that are pinned,
    /// then the others, each by their latest activity. Those that stand at one time are in one group, whose order is not said.
    ///
    /// Left out are those of which the documents do not say where they stand: an own message that waited was acknowledged
    /// under an id or at a place that had been deleted or cleared.
    package var list: [Set<ConversationKey>] {
        var groups: [ListPlace: Set<ConversationKey>] = [:]
        for (key, conversation) in conversations where isListed(key) == true && !conversation.lostOwnMessage {
            let place = ListPlace(
                isArchived: conversation.isArchived, isPinned: conversation.isPinned, activity: conversation.activity)
            groups[place, default: []].insert(key)
        }
        return groups.sorted { $0.key > $1.key }.map(\.value)
    }

    private struct ListPlace: Hashable, Comparable {
        let isArchived: Bool
        let isPinned: Bool
        let activity: Timestamp?

        static func < (left: ListPlace, right: ListPlace) -> Bool {
            guard left.isArchived == right.isArchived else { return left.isArchived }
            guard left.isPinned == right.isPinned else { return right.isPinned }
            return (left.activity?.milliseconds ?? .min) < (right.activity?.milliseconds ?? .min)
        }
    }
}

extension UnreadOracle {
    /// An event of a conversation, and the first position of the call that recorded it.
    struct Entry {
        let position: UInt64
        let call: UInt64
        let moment: Moment
        var recordedTime: Timestamp { moment.now }
        let event: Event
    }

    /// A place among the messages that a server knows: its time, then the id's bytes; without an id behind all of its time.
    struct Place: Comparable {
        let time: Timestamp
        let id: ServerMessageID?

        init(time: Timestamp, id: ServerMessageID? = nil) {
            self.time = time
            self.id = id
        }

        init(_ order: MessageOrder) { self.init(time: order.time, id: order.id) }

        /// The place, at most a day after an event was recorded.
        func capped(by entry: Entry) -> Place { Place(time: min(time, UnreadOracle.latestTime(of: entry)), id: id) }

        static func < (left: Place, right: Place) -> Bool {
            guard left.time == right.time else { return left.time.milliseconds < right.time.milliseconds }
            guard let leftID = left.id else { return false }
            guard let rightID = right.id else { return true }
            return leftID.rawValue.utf8.lexicographicallyPrecedes(rightID.rawValue.utf8)
        }
    }

    /// A day after an event was recorded.
    static func latestTime(of entry: Entry) -> Timestamp {
        Timestamp(milliseconds: entry.moment.latest)
    }

    /// The events that name one conversation, in the order of the log.
    struct Conversation {
        let account: UserID
        var placements: [(upTo: Position, marker: MessageOrder?)] = []
        var entries: [Entry] = []

        /// The conversation as it was before a position.
        func before(_ position: UInt64) -> Conversation {
            Conversation(
                account: account, placements: placements.filter { $0.upTo.rawValue < position },
                entries: entries.filter { $0.position < position })
        }
    }
}

extension UnreadOracle.Conversation {
    /// The set of d5 above the marker or the report's place, and the report's own numbers (d7, d30, d31).
    var unread: UnreadOracle.Unread {
        let reading = self.reading
        let report = reading.report
        let countsPast = report?.isAlone != true && (reading.marker != nil || report != nil)
        // A number alone stands for all that history brings.
        let isUnderNumber = report.map { $0.isAlone && $0.count > 0 } ?? false
        let counted = messages.filter { message in
            guard let place = message.readingPlace else { return false }
            if isUnderNumber, message.entry.event.origin == .history { return false }
            let isReported = report?.place.map { place <= $0 } ?? false
            return isCountable(message) && !isReported && reading.isAboveMarker(message)
                && (countsPast || !isOfPast(message))
        }
        return UnreadOracle.Unread(
            messages: counted.count + (report?.count ?? 0),
            mentions: counted.filter { $0.mentions(account) }.count + (report?.mentions ?? 0),
            everyoneMentions: counted.filter { $0.context.mentionsEveryone && !$0.context.mentions.contains(account) }
                .count,
            isMarked: isMarked)
    }

    /// Of the past is what history brings and is not above the newest message of others that was there before the call, or,
    /// without one, of this account, nor above an unread one where no read marker is known; all where there was none, and all while a
    /// number alone is in force (d31).
    func isOfPast(_ message: UnreadOracle.Message) -> Bool {
        guard message.entry.event.origin == .history, let place = message.place else { return false }
        let earlier = before(message.entry.call)
        let inCall = entries.filter { message.entry.call..<message.id ~= $0.position }
        let known = earlier.messages.filter {
            earlier.isVisible($0) && !$0.isProvisional && (!earlier.isForgotten($0) || earlier.isDeleted($0))
        }
        let newestOfOthers = known.filter { !$0.isOwn }.compactMap(\.place).max()
        guard let newest = newestOfOthers ?? known.compactMap(\.place).max(),
            earlier.reading.report?.isAlone != true,
            !inCall.contains(where: { Self.report(of: $0).map { $0.isAlone && $0.count > 0 } ?? false })
        else { return true }
        guard place <= newest else { return false }
        let reading = earlier.reading
        guard reading.marker == nil, reading.report == nil else { return true }
        // What is above an unread message is unread.
        return !earlier.messages.contains { other in
            guard let lower = other.place, lower < place else { return false }
            return earlier.isCountable(other) && reading.isAboveMarker(other) && !earlier.isOfPast(other)
        }
    }
}
