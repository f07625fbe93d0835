package import MessageStore

extension StoreModel {
    /// The packages of the sync that is going on, in the order in which they came.
    struct Packages: Sendable {
        typealias Oldest = [ConversationKey: MessageOrder]

        private var received: [(index: Int, messages: Oldest)] = []
        /// The messages of the package that is not told yet.
        private var unfinished: Oldest = [:]

        /// Takes over an event; false where it is of a package before which another one is missing.
        mutating func note(_ event: Event) -> Bool {
            switch event.payload {
            case let message as MessageReceived:
                guard !received.isEmpty, event.origin == .offline, let key = event.conversation else { return true }
                let order = MessageOrder(time: message.sentTime, id: message.serverID)
                unfinished.merge([key: order], uniquingKeysWith: min)
                return true
            case let package as OfflinePackageReceived:
                let index = Int(package.index)
                let known = Set(received.map(\.index))
                let isNext = received.last.map { last in
                    last.index >= index || (last.index + 1..<index).allSatisfy { known.contains($0) }
                }
                received.append((index, unfinished))
                unfinished = [:]
                return isNext ?? true
            default: return true
            }
        }

        /// The holes that the packages leave if no others come.
        var holes: [(key: ConversationKey, before: MessageOrder)] {
            var (missing, known): (Set<Int>, Set<Int>) = ([], [])
            var behind: [(index: Int, messages: Oldest)] = []
            var last: Int?
            for package in received {
                if let last, last < package.index {
                    missing.formUnion(Set(last + 1..<package.index).subtracting(known))
                }
                last = package.index
                known.insert(package.index)
                missing.remove(package.index)
                if missing.contains(where: { $0 < package.index }) { behind.append(package) }
            }
            var holes: [(key: ConversationKey, before: MessageOrder)] = []
            for number in missing where !missing.contains(number + 1) {
                let above = behind.filter { $0.index > number }
                let next = missing.filter { $0 > number }.min() ?? .max
                for key in Set(above.filter { $0.index < next }.flatMap(\.messages.keys)) {
                    if let before = above.compactMap({ $0.messages[key] }).min() { holes.append((key, before)) }
                }
            }
            return holes.sorted { ($0.before, $0.key.description) < ($1.before, $1.key.description) }
        }
    }

    /// Whether a package that is missing keeps a store from recording events.
    package func refusesPackages(_ events: [Event]) -> Bool {
        guard packageNumbers == .strict else { return false }
        var packages = packages ?? recordedPackages()
        return !events.allSatisfy { event in
            if event.endsSync { packages = Packages() }
            return packages.note(event)
        }
    }

    /// Takes over the packages of a call.
    ///
    /// - Returns: The gaps that are recorded, by the index of the event before which they are.
    mutating func notePackages(_ events: [Event]) -> [Int: [Event]] {
        let areNumbered = events.contains { $0.payload is OfflinePackageReceived || $0.endsSync }
        guard packageNumbers != .any, packages != nil || areNumbered else { return [:] }
        var known = packages ?? recordedPackages()
        var gaps: [Int: [Event]] = [:]
        for (index, event) in events.enumerated() {
            if event.endsSync {
                gaps[index] = known.holes.map { hole in
                    Event(HistoryGapFound(before: hole.before), in: hole.key, origin: event.origin)
                }
                known = Packages()
            }
            _ = known.note(event)
        }
        packages = known
        return gaps
    }

    /// A store that is opened again knows of the sync what its log holds.
    package mutating func reopen() { (packages, hasRecorded) = (nil, false) }

    private func recordedPackages() -> Packages {
        var packages = Packages()
        guard sync.isSyncing else { return packages }
        for event in log[Int(max(startedAt, 1) - 1)...] {
            if event.endsSync { packages = Packages() }
            _ = packages.note(event)
        }
        return packages
    }
}

extension Event {
    fileprivate var endsSync: Bool {
        if let session = payload as? SessionStateChanged {
            return session.state != .connecting && session.state != .interrupted
        }
        return payload is OfflineSyncStarted || payload is OfflineSyncCompleted
    }

    /// Whether an earlier session is over with it, whatever became of that.
    var beginsSession: Bool {
        if let session = payload as? SessionStateChanged { return session.state != .connecting }
        return payload is OfflineSyncStarted
    }
}
