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

        init(unsent local: UInt64) {
            time = .max
            id = []
            self.local = local
        }

        var isUnsent: Bool { time == .max }

        static func < (first: Order, second: Order) -> Bool {
            if first.time != second.time { return first.time < second.time }
            if first.id != second.id { return first.id.lexicographicallyPrecedes(second.id) }
            return first.local < second.local
        }
    }

    struct Modification: Sendable {
        let time: Timestamp
        let position: UInt64
        let content: MessageContent
    }

    /// What was told of a message beside the message itself; all of it can be joined in any order.
    struct Facts: Sendable {
        var isRecalled = false
        var isDeleted = false
        var modifications: [Modification] = []
        var deliveries: [Timestamp] = []
        var readings: [Timestamp] = []

        mutating func join(_ other: Facts) {
            isRecalled = isRecalled || other.isRecalled
            isDeleted = isDeleted || other.isDeleted
            modifications += other.modifications
            deliveries += other.deliveries
            readings += other.readings
        }

        /// The modification to show: the latest by its own time, then by its place in the log.
        var modification: Modification? {
            modifications.max { ($0.time, $0.position) < ($1.time, $1.position) }
        }
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
        let recordedTime: Timestamp
        var serverID: ServerMessageID?
        var serverTime: Timestamp?
        var facts = Facts()
        /// Whether the last attempt to send it failed, and how.
        var failure: Int32?
        /// Whether a queued message turned out to be this one.
        var isReplaced = false

        var isUnacknowledged: Bool { isQueued && serverID == nil }
        var isGone: Bool { facts.isDeleted || isReplaced }

        var order: Order {
            guard let serverID, let serverTime else { return Order(unsent: local) }
            return Order(time: serverTime, id: serverID)
        }
    }

    struct ConversationEntry: Sendable {
        let key: ConversationKey
        let number: Int
        /// Whether anything happened that puts it into the list.
        var isInList = false
        var fields = ConversationFields()
        var isPinned = false
        var isMuted = false
        var isHidden = false
        var isOutdated = false
        var isMarkedUnread = false
        var draft: String?
        /// The latest server time of what moved the conversation up.
        var confirmedActivity: Int64 = 0
        /// The local time of the newest message that the server has not answered; 0 where there is none.
        var provisionalActivity: Int64 = 0
        var hiddenUpTo: Order?
        var readUpTo: Order?
        var floor: Order?
        var members: [UserID: ShownMember] = [:]
        /// Names in this conversation, also of users who are not members.
        var nicknames: [UserID: String] = [:]
        var roles: [UserID: UInt8] = [:]
        var deliveredUpTo: Int64 = -1
        var peerReadUpTo: Int64 = -1
        /// How far each member has received and read, of those that the server named.
        var deliveredMarks: [UserID: Timestamp] = [:]
        var readMarks: [UserID: Timestamp] = [:]
    }

    struct ProfileEntry: Sendable {
        var profile: Profile?
        var isStale = false
        var hasFailed = false
    }
}

extension StoreModel.Order? {
    /// Raises a marker, never lowers it.
    mutating func raise(to order: StoreModel.Order?) {
        guard let order else { return }
        if let old = self, old >= order { return }
        self = order
    }

    /// Whether `order` lies above the marker.
    func isBelow(_ order: StoreModel.Order) -> Bool {
        guard let marker = self else { return true }
        return marker < order
    }
}
