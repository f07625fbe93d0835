/// The packages of the sync that is going on: which are missing, and what has arrived after those.
struct PackageNumbers: Sendable {
    private var last: UInt64?
    private var received = RangeSet<UInt64>()
    /// Left out by a later package, and not received since.
    private var missing = RangeSet<UInt64>()
    /// The oldest message of each conversation for each package after a missing one, and for the one that has not ended
    /// yet.
    private var behind: [UInt64: [ConversationKey: MessageOrder]] = [:]
    private var unfinished: [ConversationKey: MessageOrder] = [:]

    /// Takes over events in the order of the log. A message belongs to the package that the next package event names,
    /// whatever is between.
    ///
    /// - Returns: The gaps to record, by the index of the event before which they belong.
    /// - Throws: `StoreError` with code `packageMissing` where it is strict.
    mutating func note(_ events: [Event], closing: Event? = nil, isStrict: Bool = false) throws -> [Int: [Event]] {
        var gaps: [Int: [Event]] = [:]
        for place in 0..<events.count + (closing == nil ? 0 : 1) {
            guard let event = place < events.count ? events[place] : closing else { continue }
            if event.type == .messageReceived {
                note(event)
            } else if let package = event.payload as? OfflinePackageReceived {
                try note(package.index, isStrict: isStrict)
            } else if event.endsSync {
                let found = end()
                if !found.isEmpty {
                    gaps[place] = found.map { Event($0.gap, in: $0.conversation, origin: event.origin) }
                }
            }
        }
        return gaps
    }

    private mutating func note(_ event: Event) {
        // No package precedes the first.
        guard last != nil, event.origin == .offline, let message = event.payload as? MessageReceived,
            let conversation = event.conversation
        else { return }
        let order = MessageOrder(time: message.sentTime, id: message.serverID)
        unfinished.merge([conversation: order], uniquingKeysWith: min)
    }

    private mutating func note(_ index: UInt32, isStrict: Bool) throws {
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
        if let lowest = missing.ranges.first, lowest.lowerBound < index {
            behind[index, default: [:]].merge(unfinished, uniquingKeysWith: min)
        }
        unfinished = [:]
    }

    /// Forgets the sync.
    ///
    /// - Returns: The gaps that it leaves, the lower ones first.
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
            // If no package between two missing ones has messages of a conversation, the two are one gap.
            holes += found.compactMap { conversation in oldest[conversation].map { (conversation, $0) } }
        }
        self = PackageNumbers()
        return holes.ordered { ($0.1, $0.0.description) < ($1.1, $1.0.description) }
            .map { ($0.0, HistoryGapFound(before: $0.1)) }
    }
}

extension Event {
    fileprivate var numbersPackages: Bool { type == .offlinePackageReceived || endsSync }

    fileprivate var endsSync: Bool {
        switch type {
        case .offlineSyncStarted, .offlineSyncCompleted: true
        case .sessionStateChanged:
            // A sync continues in the next process.
            (payload as? SessionStateChanged).map { $0.state != .connecting && $0.state != .interrupted } ?? true
        default: false
        }
    }
}

extension MessageStore {
    /// Takes over the numbers of the packages among the events.
    ///
    /// - Returns: The packages known then, and the gaps to record by the index of the event before which they belong.
    func number(
        _ events: [Event], _ closing: Event?, _ resources: WritingResources, _ known: PackageNumbers?
    ) throws -> (packages: PackageNumbers?, gaps: [Int: [Event]]) {
        guard configuration.packageNumbers != .any,
            known != nil || closing?.numbersPackages == true
                || events.indices.contains(where: { events[$0].numbersPackages })
        else { return (known, [:]) }
        var packages = try known ?? recordedPackages(resources)
        let gaps = try packages.note(events, closing: closing, isStrict: configuration.packageNumbers == .strict)
        return (packages, gaps)
    }

    /// The packages of a sync that was going on when the store was opened.
    private func recordedPackages(_ resources: WritingResources) throws -> PackageNumbers {
        var packages = PackageNumbers()
        guard let start = try resources.views.admissionSnapshot(isWhole: true).startOfSync() else { return packages }
        let wanted = EventFilter(types: [
            .messageReceived, .offlinePackageReceived, .offlineSyncStarted, .offlineSyncCompleted, .sessionStateChanged,
        ])
        try forEachEvent(from: start, where: wanted) { recorded in
            _ = try packages.note([recorded.event])
            return true
        }
        return packages
    }
}
