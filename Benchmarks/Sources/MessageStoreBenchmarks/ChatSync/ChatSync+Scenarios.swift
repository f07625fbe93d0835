internal import MessageStoreWorkload

extension ChatSync {
    /// What a client meets when it comes online.
    enum Scenario: String, CaseIterable, Codable {
        case behind
        case conversations
        case late
        case again
        case killed
        case erasing

        /// The number in `Benchmarks/ChatSync.md`, which is the seed as well.
        var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }

        var title: String {
            switch self {
            case .behind: "a million missed"
            case .conversations: "50,000 conversations"
            case .late: "a fifth late"
            case .again: "everything again"
            case .killed: "killed half-way"
            case .erasing: "erasing while syncing"
            }
        }

        /// Events at a scale of 1.
        var fullSize: Int {
            switch self {
            case .behind: 1_000_000
            case .conversations, .late: 500_000
            case .again, .killed, .erasing: 250_000
            }
        }
    }
}

extension ChatSync.Scenario {
    /// Whole packages, at least ten.
    func events(scale: Double) -> Int {
        max(Int(Double(fullSize) * scale) / ChatSync.packageSize, 10) * ChatSync.packageSize
    }

    /// The events of the scenario: equal on every machine for an equal scale.
    func backlog(scale: Double) -> Backlog {
        var parameters = WorkloadParameters.fitted
        parameters.seed = UInt64(number)
        // 2010: a million events take nine years, and none may be in the future.
        parameters.startTimeMs = 1_262_304_000_000
        if self == .conversations {
            parameters.conversations = max(Int(50_000 * scale), 100)
            parameters.users = 2 * parameters.conversations
            parameters.conversationExponent = 0.5
            parameters.conversationStickiness = 0.1
        }
        let backlog = Backlog(parameters, events: events(scale: scale), name: title)
        return switch self {
        case .late: backlog.delivered(backlog.fifthLate(seed: parameters.seed))
        case .erasing: backlog.erasing(seed: parameters.seed)
        default: backlog
        }
    }
}

extension Backlog {
    /// Every event with a chance of a fifth later than the others, by up to a quarter of the backlog.
    fileprivate func fifthLate(seed: UInt64) -> [SyncEvent] {
        var random = SplitMix64(seed: seed)
        let delivered = events().enumerated().map { index, event in
            let delay = random.chance(0.2) ? random.nextIndex(max(count / 4, 1)) : 0
            return (turn: index + delay, index: index, event: event)
        }
        return delivered.sorted { ($0.turn, $0.index) < ($1.turn, $1.index) }.map(\.event)
    }

    /// Fifty times a conversation in which something was just written is cleared, or every second time deleted.
    fileprivate func erasing(seed: UInt64) -> Backlog {
        var result = self
        var random = SplitMix64(seed: seed)
        var newest: [Int32: Place] = [:]
        var recent: [Int32] = []
        let packages = max(count / ChatSync.packageSize / 50, 1)
        for (index, event) in events().enumerated() {
            if event.kind == .text {
                newest[event.conversation] = max(newest[event.conversation] ?? Place(event), Place(event))
                recent.append(event.conversation)
            }
            guard (index + 1) % (packages * ChatSync.packageSize) == 0, !recent.isEmpty else { continue }
            let conversation = recent[random.nextIndex(recent.count)]
            guard let place = newest[conversation] else { continue }
            result.erasures[index + 1] = Erasure(
                conversation: conversation, place: place, deletesConversation: result.erasures.count % 2 == 1)
            recent.removeAll(keepingCapacity: true)
        }
        return result
    }
}
