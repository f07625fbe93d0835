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
