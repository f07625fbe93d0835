@_spi(Storage) package import MessageStoreLog

/// Decides which events become part of the log, and which others are recorded with them.
///
/// Holds caches that speed that up from one batch to the next: a filter of the identities that the store knows, and an
/// index of recent messages. ``Admitter`` puts the batches together.
package struct Admission: Sendable {
    /// Events after which a filter of identities is worth making: single sends never are.
    private static let filterThreshold = 2000

    private let repeatWindows: RepeatWindows
    private let countsHistory: Bool
    private let allowsSeconds: Bool
    private let ownMessagesMarkRead: Bool
    private var repeats = RepeatIndex()
    private var identityFilter: IdentityFilter?
    /// The identities that were claimed while the filter is being made; nil while none is being made.
    private var claimedMeanwhile: [IdentityKey]?
    private var eventCount = 0
    /// How many identities were looked up that no event had.
    package private(set) var vainLookUps = 0

    /// - Parameters:
    ///   - countsHistory: Whether all messages from history count as unread, even if no read marker is known; frozen
    ///     into the records.
    ///   - allowsSeconds: Whether server times may look like seconds.
    ///   - ownMessagesMarkRead: Whether a message that this account sent from another device reads its conversation.
    package init(
        repeatWindows: RepeatWindows, countsHistory: Bool = false, allowsSeconds: Bool = false,
        ownMessagesMarkRead: Bool = false
    ) {
        self.repeatWindows = repeatWindows
        self.countsHistory = countsHistory
        self.allowsSeconds = allowsSeconds
        self.ownMessagesMarkRead = ownMessagesMarkRead
    }

    /// Validates and encodes events for one commit, and leaves out the ones that the store knows already (I4).
    ///
    /// - Parameters:
    ///   - events: The first broken rule throws.
    ///   - closing: One event more, recorded after the others.
    ///   - filtered: The verdicts of the host's filter on received messages, by the index of the event; frozen as an
    ///     event right before each message that is new (I12).
    ///   - preceding: Events to record before the event of an index.
    ///   - isHandedOver: Whether another process handed over the events.
    ///   - writer: A batch at the log's end.
    ///   - views: Takes the views at the log's end, all of them where the argument is true, else as far as
    ///     ``ViewBuffer/admissionSnapshot(at:)`` shows them. Called once at most, and not at all where no event can be
    ///     one that is known.
    package mutating func admit(
        _ events: [Event], closing: Event? = nil, filtered: [Int: MessageFiltered] = [:],
        preceding: [Int: [Event]] = [:], isHandedOver: Bool = false,
        into writer: consuming BatchWriter, over views: @escaping (_ isWhole: Bool) throws -> ViewSnapshot
    ) throws -> AdmittedBatch {
        guard events.count <= EventLimits.batchEvents else {
            throw StoreError(.invalidArgument, "a batch of \(events.count) events; at most \(EventLimits.batchEvents)")
        }
        if isHandedOver {
            writer.carrierFlags = .isHandedOver
        } else if closing?.type == .offlinePackageReceived {
            writer.carrierFlags = .packageBit
        }
        if let identityFilter { writer.mayClaim = { identityFilter.prefetch($0) } }
        // The unread messages decide which ones are of the past; their rows are kept decoded.
        let hasHistory = !countsHistory && Self.hasHistory(events)
        let past = hasHistory ? KnownPast() : nil
        let admitter = Admitter(
            writer, LateViews { try views(hasHistory) }, identityFilter, repeatWindows, past,
            allowsSeconds: allowsSeconds, ownMessagesMarkRead: ownMessagesMarkRead, count: events.count)
        return try admitter.admit(events, closing, filtered, preceding, &repeats)
    }

    /// By index, which copies no event, as an iterator does.
    private static func hasHistory(_ events: [Event]) -> Bool {
        for index in events.indices where events[index].origin == .history {
            if events[index].isFromHistory { return true }
        }
        return false
    }

    /// Remembers the identities of a batch, before it is staged; if the batch is taken back, look-ups of them find
    /// nothing.
    package mutating func noteClaims(of admitted: AdmittedBatch) {
        claimedMeanwhile?.append(contentsOf: admitted.identities)
        for key in admitted.identities { identityFilter?.insert(key) }
    }

    /// Remembers what else a batch added, once it is staged.
    ///
    /// - Returns: Whether the caller should make a filter of the views' identities, on another thread, and hand it to
    ///   ``take(_:)``.
    package mutating func note(_ admitted: AdmittedBatch, _ symbols: SymbolTable) throws -> Bool {
        if repeatWindows.isOn {
            try repeats.note(admitted.prepared.batch, except: admitted.repeats, repeatWindows, symbols)
        }
        eventCount += admitted.positions.count
        vainLookUps += admitted.vainLookUps
        guard identityFilter == nil, claimedMeanwhile == nil, eventCount >= Self.filterThreshold else { return false }
        claimedMeanwhile = []
        return true
    }

    /// Takes the filter that was asked for; nil if it could not be made.
    package mutating func take(_ filter: inout IdentityFilter?) {
        for key in claimedMeanwhile ?? [] { filter?.insert(key) }
        claimedMeanwhile = nil
        swap(&identityFilter, &filter)
    }

    /// Lets the filter's memory go.
    package mutating func dropFilter() {
        identityFilter = nil
    }
}

/// A batch that is ready to be staged.
package struct AdmittedBatch: Sendable {
    /// Each event's position: a new one, or the position of the same event recorded before (I4).
    package let positions: [Position]
    /// The indices of the events that were known.
    package let known: [Int]
    /// The new records; none if every event was known.
    package let prepared: PreparedAppend
    /// The identities that the new records claim.
    package let identities: [IdentityKey]
    /// The new messages that repeat others by what they say.
    package let repeats: Set<Position>
    package let doubts: AdmissionDoubts
    /// How many identities were looked up that no event has.
    let vainLookUps: Int
}

/// Oddities in recorded events that can hardly be meant.
package struct AdmissionDoubts: Sendable {
    /// The indices of events about messages that the store lacks.
    package var unmatched: [Int] = []
    /// How many events have a server time that looks like seconds.
    package var timesInSeconds = 0

    /// From the year 2001 on, as seconds since 1970; as milliseconds they are days of 1970 to 1973.
    static let seconds: Range<Int64> = 978_307_200..<100_000_000_000
}

extension Timestamp {
    /// Whether the time looks like seconds since 1970, of the year 2001 or later.
    package var looksLikeSeconds: Bool { AdmissionDoubts.seconds.contains(milliseconds) }
}
