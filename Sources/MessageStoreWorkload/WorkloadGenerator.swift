/// A seeded synthetic workload: a backlog of events such as a client fetches after a long time offline.
///
/// Equal parameters give equal events on every machine. Making an iterator builds tables in proportion to the number
/// of conversations and the size of the largest group; after that each event costs constant time and memory.
public struct WorkloadGenerator: Sequence, Sendable {
    /// The statistics, with all values within their ranges.
    public let parameters: WorkloadParameters
    /// How many events there are, repeated deliveries included.
    public let eventCount: Int
    /// Ids, names and members of conversations.
    public let directory: WorkloadDirectory

    /// Creates a workload of `eventCount` events, none if it is negative.
    public init(_ parameters: WorkloadParameters = .fitted, eventCount: Int) {
        self.parameters = parameters.clamped
        self.eventCount = Swift.max(eventCount, 0)
        directory = WorkloadDirectory(parameters)
    }

    /// Returns an iterator over all events from the first on.
    public func makeIterator() -> Iterator {
        Iterator(self)
    }

    /// The number of events, so that collecting them reserves the room once.
    public var underestimatedCount: Int { eventCount }
}

extension WorkloadGenerator {
    /// Produces the events of a workload one after the other.
    public struct Iterator: IteratorProtocol, Sendable {
        private let parameters: WorkloadParameters
        private let eventCount: Int
        private var emitted = 0
        private var clockMs: Int64
        private var lastTimeMs: Int64?
        private var random: SplitMix64
        private var senders: WorkloadSenders
        private var conversations: WorkloadConversations
        private var text: WorkloadText
        private var serverIDs: WorkloadServerIDs
        private var redelivery: WorkloadRedelivery

        init(_ workload: WorkloadGenerator) {
            parameters = workload.parameters
            eventCount = workload.eventCount
            clockMs = parameters.startTimeMs
            random = SplitMix64(seed: parameters.seed)
            senders = WorkloadSenders(parameters, workload.directory)
            conversations = WorkloadConversations(parameters)
            text = WorkloadText(emojiShare: parameters.emojiShare)
            serverIDs = WorkloadServerIDs(parameters.serverIDs, seed: parameters.seed)
            redelivery = WorkloadRedelivery(parameters)
        }

        /// Returns the next event, or nil after the last.
        public mutating func next() -> WorkloadEvent? {
            guard emitted < eventCount else { return nil }
            defer { emitted += 1 }
            if let repeated = redelivery.next(index: emitted) { return repeated }
            let event = freshEvent()
            redelivery.record(event, using: &random)
            return event
        }

        private mutating func freshEvent() -> WorkloadEvent {
            let conversation = conversations.next(using: &random)
            let (kind, sender) = senders.next(conversation: conversation, using: &random)
            clockMs = Swift.min(clockMs + Int64(parameters.gapMs.next(using: &random)), 1 << 60)
            let conversationKind = senders.directory.kind(ofConversation: conversation)
            return WorkloadEvent(
                index: emitted,
                conversation: conversation,
                conversationKind: conversationKind,
                kind: kind,
                sender: sender,
                timeMs: nextTimeMs(),
                serverID: serverIDs.next(ordinal: emitted, timeMs: clockMs, using: &random),
                text: kind == .text ? nextText(in: conversation, conversationKind) : "",
                duplicateOf: nil
            )
        }

        /// The clock's time, or one before that of the last event; the cube gives mostly short differences.
        private mutating func nextTimeMs() -> Int64 {
            var timeMs = clockMs
            if random.chance(parameters.outOfOrderShare), let lastTimeMs {
                let unit = random.nextUnit()
                let earlier = Int64(Double(parameters.outOfOrderMaximumMs) * unit * unit * unit)
                timeMs = Swift.max(lastTimeMs - 1 - earlier, 0)
            }
            lastTimeMs = timeMs
            return timeMs
        }

        private mutating func nextText(in conversation: Int, _ kind: WorkloadConversationKind) -> String {
            let isChinese = random.chance(parameters.cjkShare)
            let byteCount = (isChinese ? parameters.cjkBytes : parameters.latinBytes).next(using: &random)
            var mention: String?
            if kind == .group, byteCount >= WorkloadParameters.mentionMinimumBytes,
                random.chance(parameters.mentionShare)
            {
                mention = senders.directory.userName(senders.drawMember(of: conversation, using: &random))
            }
            return text.next(isChinese ? .chinese : .latin, byteCount: byteCount, mention: mention, using: &random)
        }
    }
}

/// Whether a conversation is between two people or more.
public enum WorkloadConversationKind: Sendable, Equatable {
    /// The account and one other user.
    case single
    /// The account and any number of users.
    case group
}

/// One event of a synthetic workload, in the order in which a server would deliver it.
public struct WorkloadEvent: Sendable, Equatable {
    /// The kind of an event.
    public enum Kind: Sendable, Equatable {
        /// `sender` wrote `text`.
        case text
        /// `sender` became a member of the conversation again.
        case memberJoined
        /// `sender` left the conversation.
        case memberLeft
    }

    /// The ordinal of the delivery, from 0.
    public var index: Int
    /// The conversation, `0 ..< conversations`; low numbers are the busy ones.
    public var conversation: Int
    /// Whether the conversation is between two people.
    public var conversationKind: WorkloadConversationKind
    /// The kind of the event.
    public var kind: Kind
    /// The user who did it, `0 ..< users`; 0 is the account itself, writing on another of its devices.
    public var sender: Int
    /// When the sender did it, in milliseconds since 1970. Sometimes less than that of the previous event.
    public var timeMs: Int64
    /// The id the server gave, unique but for repeated deliveries.
    public var serverID: String
    /// The text that was written; empty for joins and leaves.
    public var text: String
    /// The index of the first delivery if this event was delivered before, else nil. All but the index is the same.
    public var duplicateOf: Int?

    /// Whether the account itself is the sender.
    public var isOwn: Bool { sender == WorkloadDirectory.account }
}

/// Repeats runs of the latest events now and then, as a server does whose pages overlap.
struct WorkloadRedelivery: Sendable {
    private let runLength: Int
    private let startProbability: Double
    /// The latest new events; the one with ordinal n is at n modulo the run length. Empty if nothing is repeated.
    private var latest: [WorkloadEvent] = []
    /// How many new events there were.
    private var recorded = 0
    private var remaining = 0

    init(_ parameters: WorkloadParameters) {
        runLength = parameters.duplicateRunLength
        // With share d and runs of length r, 1 new event causes d / (1 - d) repeated ones, in r times fewer runs.
        startProbability = parameters.duplicateShare / (1 - parameters.duplicateShare) / Double(runLength)
    }

    /// Returns the next event to repeat, if a run is under way.
    mutating func next(index: Int) -> WorkloadEvent? {
        guard remaining > 0 else { return nil }
        var event = latest[(recorded - remaining) % runLength]
        remaining -= 1
        event.duplicateOf = event.index
        event.index = index
        return event
    }

    /// Takes note of a new event and decides whether a run that ends with it starts now.
    mutating func record(_ event: WorkloadEvent, using random: inout SplitMix64) {
        guard startProbability > 0 else { return }
        if latest.count < runLength {
            latest.append(event)
        } else {
            latest[recorded % runLength] = event
        }
        recorded += 1
        if random.chance(startProbability) { remaining = latest.count }
    }
}

/// Makes up the ids that a server would give to events.
struct WorkloadServerIDs: Sendable {
    private let kind: WorkloadParameters.ServerIDs
    /// The bits that distinguish one server from another in time-ordered ids: 40 bits.
    private let server: UInt64
    private var bytes: [UInt8] = []

    init(_ kind: WorkloadParameters.ServerIDs, seed: UInt64) {
        self.kind = kind
        server = SplitMix64.mix(seed) >> 24
        bytes.reserveCapacity(36)
    }

    /// Returns the id of the event with the given ordinal, which arrived at the server at the given time.
    mutating func next(ordinal: Int, timeMs: Int64, using random: inout SplitMix64) -> String {
        bytes.removeAll(keepingCapacity: true)
        switch kind {
        case .timeOrdered: appendTimeOrdered(ordinal: ordinal, timeMs: timeMs)
        case .random: appendUUID(random.next(), random.next())
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The layout of a MongoDB ObjectId: 32 bits of seconds, 40 of the server, a counter of 24.
    private mutating func appendTimeOrdered(ordinal: Int, timeMs: Int64) {
        Hexadecimal.append(UInt64(clamping: timeMs / 1_000), digits: 8, to: &bytes)
        Hexadecimal.append(server, digits: 10, to: &bytes)
        Hexadecimal.append(UInt64(truncatingIfNeeded: ordinal), digits: 6, to: &bytes)
    }

    /// The layout of RFC 9562 with version 4 and variant 0b10: 122 random bits.
    private mutating func appendUUID(_ high: UInt64, _ low: UInt64) {
        let hyphen = UInt8(ascii: "-")
        Hexadecimal.append(high >> 32, digits: 8, to: &bytes)
        bytes.append(hyphen)
        Hexadecimal.append(high >> 16, digits: 4, to: &bytes)
        bytes.append(hyphen)
        Hexadecimal.append(0x4000 | high & 0xFFF, digits: 4, to: &bytes)
        bytes.append(hyphen)
        Hexadecimal.append(0x8000 | low >> 48 & 0x3FFF, digits: 4, to: &bytes)
        bytes.append(hyphen)
        Hexadecimal.append(low, digits: 12, to: &bytes)
    }
}
