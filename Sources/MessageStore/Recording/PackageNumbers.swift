/// The packages of the sync that is going on: which are missing, and what has arrived behind those.
struct PackageNumbers: Sendable {
    private var last: UInt64?
    private var received = RangeSet<UInt64>()
    /// Left out by a later package, and not received since.
    private var missing = RangeSet<UInt64>()
    /// For each package behind a missing one, the oldest message of each conversation.
    private var behind: [UInt64: [ConversationKey: MessageOrder]] = [:]

    /// Takes over events in the order of the log.
    ///
    /// - Returns: The gaps to record, by the index of the event before which they belong.
    /// - Throws: `StoreError` with code `packageMissing` where it is strict.
    mutating func note(_ events: [Event], closing: Event? = nil, isStrict: Bool = false) throws -> [Int: [Event]] {
        var gaps: [Int: [Event]] = [:]
        var first = 0
        for place in 0..<events.count + (closing == nil ? 0 : 1) {
            guard let event = place < events.count ? events[place] : closing, event.numbersPackages else { continue }
            if let package = event.payload as? OfflinePackageReceived {
                try note(package.index, events[first..<min(place, events.count)], isStrict: isStrict)
            } else if event.endsSync {
                let found = end()
                if !found.isEmpty {
                    gaps[place] = found.map { Event($0.gap, in: $0.conversation, origin: event.origin) }
                }
            }
            first = place + 1
        }
        return gaps
    }

    private mutating func note(_ index: UInt32, _ messages: ArraySlice<Event>, isStrict: Bool) throws {
        let index = UInt64(index)
        if let last, index > last + 1 {
            let leftOut = RangeSet(last + 1..<index).subtracting(received)
            if isStrict, let range = leftOut.ranges.first {
                throw StoreError(
                    .packageMissing, "package \(index) was received before package \(range.lowerBound)")
            }
            missing.formUnion(leftOut)
        }
        last = index
        received.insert(contentsOf: index..<index + 1)
        missing.remove(contentsOf: index..<index + 1)
        guard let lowest = missing.ranges.first, lowest.lowerBound < index else { return }
        for event in messages where event.origin == .offline {
            guard let message = event.payload as? MessageReceived, let conversation = event.conversation else {
                continue
            }
            let order = MessageOrder(time: message.sentTime, id: message.serverID)
            behind[index, default: [:]].merge([conversation: order], uniquingKeysWith: min)
        }
    }

    /// Forgets the sync.
    ///
    /// - Returns: The holes that it leaves, the lower ones first.
    private mutating func end() -> [(conversation: ConversationKey, gap: HistoryGapFound)] {
        var (oldest, holes) = ([ConversationKey: MessageOrder](), [(ConversationKey, MessageOrder)]())
        var indices = behind.keys.sorted()[...]
        for range in missing.ranges.reversed() {
            var found: Set<ConversationKey> = []
            while let index = indices.last, index >= range.upperBound {
                oldest.merge(behind[index] ?? [:], uniquingKeysWith: min)
                found.formUnion((behind[index] ?? [:]).keys)
                indices.removeLast()
            }
            // Where no package between two that are missing has messages of a conversation, they are one hole.
            holes += found.compactMap { conversation in oldest[conversation].map { (conversation, $0) } }
        }
        self = PackageNumbers()
        return holes.sorted { ($0.1, $0.0.description) < ($1.1, $1.0.description) }
            .map { ($0.0, HistoryGapFound(before: $0.1)) }
    }
}

extension Event {
    fileprivate var numbersPackages: Bool { type == .offlinePackageReceived || endsSync }

    fileprivate var endsSync: Bool {
        switch type {
        case .offlineSyncStarted, .offlineSyncCompleted: true
        case .sessionStateChanged: (payload as? SessionStateChanged)?.state != .connecting
        default: false
        }
    }
}

extension MessageStore {
    /// Takes over the numbers of the packages among the events.
    ///
    /// - Returns: What is known then, and the gaps to record by the index of the event before which they belong.
    func number(
        _ events: [Event], _ closing: Event?, _ resources: WritingResources, _ known: PackageNumbers?
    ) throws -> (packages: PackageNumbers?, gaps: [Int: [Event]]) {
        guard configuration.packageNumbers != .any,
            closing?.numbersPackages == true || events.indices.contains(where: { events[$0].numbersPackages })
        else { return (known, [:]) }
        var packages = try known ?? recordedPackages(resources)
        let gaps = try packages.note(events, closing: closing, isStrict: configuration.packageNumbers == .strict)
        return (packages, gaps)
    }

    /// The packages of a sync that was going on when the store was opened.
    private func recordedPackages(_ resources: WritingResources) throws -> PackageNumbers {
        var packages = PackageNumbers()
        guard let start = try resources.views.admissionSnapshot(isWhole: true).startOfSync() else { return packages }
        var messages: [Event] = []
        let wanted = EventFilter(types: [
            .messageReceived, .offlinePackageReceived, .offlineSyncStarted, .offlineSyncCompleted, .sessionStateChanged,
        ])
        // Where the sync began without an event of its own, messages of its first package are before; that one is behind none.
        try forEachEvent(from: start, where: wanted) { recorded in
            if recorded.event.numbersPackages {
                _ = try packages.note(messages, closing: recorded.event)
                messages.removeAll()
            } else {
                messages.append(recorded.event)
            }
            return true
        }
        return packages
    }
}
