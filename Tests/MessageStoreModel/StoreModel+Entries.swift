internal import MessageStore

extension StoreModel {
    /// A place in a timeline: server time, then the bytes of the server id; unsent messages last, by local id (d2).
    struct Order: Comparable, Sendable {
        var time: Int64
        var id: [UInt8]
        var local: UInt64 = 0

        init(time: Timestamp, id: ServerMessageID) {
            self.time = time.milliseconds
            self.id = Array(id.rawValue.utf8)
        }

        init(_ order: MessageOrder) {
            time = order.time.milliseconds
            id = order.id.map { Array($0.rawValue.utf8) } ?? [0xFF]
        }

        /// A line of this device alone, behind the server's messages of its time.
        init(time: Timestamp, local: UInt64) {
            self.time = time.milliseconds
            id = [0xFE]
            self.local = local
        }

        init(unsent local: UInt64) {
            time = .max
            id = []
            self.local = local
        }

        var isUnsent: Bool { time == .max }

        /// The place as a host sees it: behind all messages of its time where no server's message is there.
        var shown: MessageOrder {
            let isServers = id != [0xFF] && id != [0xFE] && !id.isEmpty
            return MessageOrder(
                time: Timestamp(milliseconds: time),
                id: isServers ? ServerMessageID(String(decoding: id, as: UTF8.self)) : nil)
        }

        static func < (first: Order, second: Order) -> Bool {
            if first.time != second.time { return first.time < second.time }
            if first.id != second.id { return first.id.lexicographicallyPrecedes(second.id) }
            return first.local < second.local
        }
    }

    struct Modification: Sendable {
        let time: Timestamp
        let position: UInt64
        var content: MessageContent
        /// Whether it mentions the account, and whether by name; nil where it does not tell.
        var mention: (isThere: Bool, isByName: Bool)?
    }

    /// What was told of a message beside the message itself; all of it can be joined in any order.
    struct Facts: Sendable {
        var isRecalled = false
        var isDeleted = false
        var modifications: [Modification] = []
        var deliveries: [Timestamp] = []
        var readings: [Timestamp] = []
        /// How far the message has come; what is told raises it, an override sets it.
        var reached = MessageStatus.received
        var userFlags: MessageFlags = []
        var verdict: (position: UInt64, verdict: FilterVerdict)?
        /// The last event of each attachment, by index.
        var attachments: [UInt8: (position: UInt64, state: AttachmentStateChanged)] = [:]
        /// The server's time of a message that has not arrived.
        var sentTime: Timestamp?

        mutating func join(_ other: Facts) {
            isRecalled = isRecalled || other.isRecalled
            isDeleted = isDeleted || other.isDeleted
            modifications += other.modifications
            deliveries += other.deliveries
            readings += other.readings
            reached = max(reached, other.reached)
            userFlags.formUnion(other.userFlags)
            if let told = other.verdict, told.position > verdict?.position ?? 0 { verdict = told }
            attachments.merge(other.attachments) { $0.position > $1.position ? $0 : $1 }
        }

        /// The modification to show: the latest by its own time, then by its place in the log.
        var modification: Modification? {
            modifications.max { ($0.time, $0.position) < ($1.time, $1.position) }
        }

        /// The last modification that tells of mentions.
        var mentioning: Modification? {
            modifications.filter { $0.mention != nil }.max { ($0.time, $0.position) < ($1.time, $1.position) }
        }
    }

    /// The server's count, and up to where and as of when it stands.
    struct Report: Sendable {
        let count: UInt32
        let mentions: UInt32
        /// nil where nothing was known.
        var place: Order?
        let time: Timestamp?
        /// Whether it was told without place and time, and is not over.
        var isOpen: Bool
        /// Whether the marker was moved below the messages that it counts (d50).
        var isPlaced = false
        /// Whether something was read since.
        var isReadSince = false

        var shown: UnreadCountReported { UnreadCountReported(count, mentions: mentions, upTo: place?.shown, at: time) }
    }

    struct MessageEntry: Sendable {
        let local: UInt64
        let conversation: ConversationKey
        let sender: UserID
        let isOutgoing: Bool
        let isQueued: Bool
        let token: ClientToken?
        var content: MessageContent
        let policy: MessagePolicy
        let mentionsAccount: Bool
        /// Whether it mentions the account by name.
        var namesAccount = false
        /// Whether it counts only once it is known up to where the conversation was read.
        var needsMarker = false
        /// Whether history brought it.
        var isFromHistory = false
        let moment: Moment
        var recordedTime: Timestamp { moment.now }
        /// The type of content that was recorded; redaction leaves it.
        var originalType: ContentType { content.type }
        var serverID: ServerMessageID?
        var serverTime: Timestamp?
        var facts = Facts()
        /// How the last attempt to send it failed; 0 where it did not.
        var failure: Int32 = 0
        /// Whether the host said that it is sent, whatever the server says.
        var isSettled = false
        /// Whether a queued message turned out to be this one.
        var isReplaced = false
        /// Whether only this device knows it.
        var isLocal = false
        /// Whether its chat room was left, and the server has not delivered it since.
        var isForgotten = false
        /// Whether its visibility list leaves the account out.
        var isDirectedAtOthers = false
        /// After how long it disappears, and when that is; nil before it was sent or read.
        var timer: MessageTimer?
        var expires: Timestamp?
        /// Whether it lost its timer because it repeats another.
        var isTimerLost = false
        /// The message that it repeats.
        var duplicateOf: UInt64?

        var mentionsNow: Bool { facts.mentioning?.mention?.isThere ?? mentionsAccount }
        var namesNow: Bool { facts.mentioning?.mention?.isByName ?? namesAccount }
        var isUnacknowledged: Bool { isQueued && serverID == nil }
        /// Whether the server accepted it without telling its time.
        var isTimeProvisional: Bool { isQueued && serverID != nil && serverTime == nil }
        var isGone: Bool {
            if facts.isDeleted || isForgotten || isReplaced || duplicateOf != nil { return true }
            switch facts.verdict?.verdict {
            case .hide: return true
            case .keep, .replace: return false
            case .unknown, nil: return isDirectedAtOthers
            }
        }

        var countsUnread: Bool {
            !isOutgoing && policy.countsUnread && !facts.isRecalled && !facts.userFlags.contains(.read)
        }

        /// The latest time that counts for reading.
        var latestTime: Int64 { moment.latest }
        /// Whether its time is more than a day after its recording.
        var isAhead: Bool { !order.isUnsent && order.time > latestTime }
        /// Whether somebody else sent it, from the future.
        var isFromFuture: Bool { isAhead && !isOutgoing }
        /// Its place for reading.
        var readingOrder: Order { order.isUnsent ? order : order.capped(at: latestTime) }

        var order: Order {
            guard let serverTime else {
                return serverID.map { Order(time: recordedTime, id: $0) } ?? Order(unsent: local)
            }
            guard let serverID else { return Order(time: serverTime, local: local) }
            return Order(time: serverTime, id: serverID)
        }
    }

    struct ConversationEntry: Sendable {
        let key: ConversationKey
        let number: Int
        /// Whether the list has a row for it, and whether that is more than a mute, a clearing or a draft.
        var isInList = false
        var isKnown = false { didSet { isInList = isInList || isKnown } }
        /// Whether it is listed, unless it is a chat room.
        var isListed: Bool { isInList && (hasDraft || isKnown && !isHidden) }
        var fields = ConversationFields()
        /// The kind that was told last, else the key's.
        var kind: ConversationKind { fields.kind ?? key.kind }
        /// The flags that are set, by the types of the events that set them.
        var flags: Set<EventType> = []
        var level = NotificationLevel.all
        var mutedUntil: Timestamp?
        /// The timer of messages that have none, and when it was chosen.
        var timer: (timer: MessageTimer, since: Timestamp)?
        var isHidden = false
        var isOutdated = false
        var draft: String?
        var threadDrafts: [ServerMessageID: Draft] = [:]
        /// Also where its text was erased.
        var hasDraft = false
        var choices = Choices()
        /// The latest server time of what moved the conversation up.
        var confirmedActivity: Int64 = 0
        /// The local time of the newest message that the server has not answered; 0 where there is none.
        var provisionalActivity: Int64 = 0
        var hiddenUpTo: Order?
        /// The highest place up to which all is read, and those of markers that name messages whose places are not known.
        var placedUpTo: Order?
        var namedUpTo: [ServerMessageID: Order] = [:]
        var readUpTo: Order? { [placedUpTo, namedUpTo.values.max()].compactMap(\.self).max() }
        /// The reading of this device that set the marker; 0 where it was set otherwise.
        var readAt: UInt64 = 0
        /// The last event that read all that was known: messages from the future are read by it.
        var aheadReadUpTo: UInt64 = 0
        var floor: Order?
        /// The messages below the floor that no clearing has cleared.
        var kept: Set<UInt64> = []
        /// The newest place that a message of a chat room had when the room was left.
        var leftUpTo: Order?
        var members: [UserID: Member] = [:]
        /// Names in this conversation, also of users who are not members.
        var nicknames: [UserID: String] = [:]
        var roles: [UserID: UInt8] = [:]
        var deliveredUpTo: Int64 = -1
        var peerReadUpTo: Int64 = -1
        /// The server's last count of unread messages.
        var report: Report?
        /// The highest place up to which the server counted, for reading all; for deleting, where the list knew of it.
        var countedUpTo: Order?
        var listedUpTo: Order?
        /// The latest activity that the server's list told.
        var reportedActivity: Int64 = 0
        /// What is known to have no holes.
        var stretches = Stretches()
        var states = ConversationStates()
        /// How far each member has received and read, of those that the server named.
        var deliveredMarks: [UserID: Timestamp] = [:]
        var readMarks: [UserID: Timestamp] = [:]
    }

    /// Which messages of a conversation notify now (d43).
    func level(of entry: ConversationEntry) -> NotificationLevel {
        if let until = entry.mutedUntil, until <= now ?? clock.now { return .all }
        return entry.level
    }

    /// How far the current or last offline sync has come.
    struct Sync: Sendable {
        var isSyncing = false
        var hasMore = false
        var packages = 0
        var messages = 0
        var jumps = 0
        var completions = 0
    }

    struct ProfileEntry: Sendable {
        var profile: Profile?
        var isStale = false
        var hasFailed = false
    }
}

extension StoreModel.Order? {
    /// Raises a marker, never lowers it.
    mutating func raise(to order: StoreModel.Order?) { self = raised(to: order) }

    func raised(to order: StoreModel.Order?) -> StoreModel.Order? { [self, order].compactMap(\.self).max() }

    /// Whether `order` lies above the marker.
    func isBelow(_ order: StoreModel.Order) -> Bool {
        guard let marker = self else { return true }
        return marker < order
    }
}
