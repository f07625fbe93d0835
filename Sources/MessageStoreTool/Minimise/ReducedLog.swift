@_spi(Storage) internal import MessageStoreLog

/// The events of a log; some are left out together with the ones that name them.
struct ReducedLog {
    /// The events that are left, by their indices in the log.
    struct Kept: Equatable {
        private var isKept: [Bool]
        private(set) var count: Int

        init(all count: Int) { (isKept, self.count) = ([Bool](repeating: true, count: count), count) }

        var indices: [Int] { isKept.indices.filter { isKept[$0] } }

        func contains(_ index: Int) -> Bool { isKept.indices.contains(index) && isKept[index] }

        /// Leaves an event out; answers whether it was kept.
        fileprivate mutating func remove(_ index: Int) -> Bool {
            guard contains(index) else { return false }
            isKept[index] = false
            count -= 1
            return true
        }
    }

    /// All events, in the order of the log.
    let events: [RecordedEvent]
    /// For each event the later ones that name it by its position.
    private var namedBy: [Int: [Int]] = [:]

    /// Reads the events up to a position.
    ///
    /// - Throws: `StoreError` with code `positionCut` if the log cannot be replayed from its beginning.
    init(of store: MessageStore, through last: Position) throws {
        let start = try store.replayStart()
        guard start == .origin else {
            throw StoreError(
                .positionCut, "events before event \(start) were cut off: the log cannot be replayed whole")
        }
        var events: [RecordedEvent] = []
        try store.forEachEvent(from: Position(1), to: last) { event in
            events.append(event)
            return true
        }
        self.events = events
        let hosts = HostEvents(try store.eventDescriptions())
        for (index, event) in events.enumerated() {
            for position in NamedInEvent(event.event, hosts).positions {
                if let named = Int(exactly: position.rawValue), named > 0, named - 1 < index {
                    namedBy[named - 1, default: []].append(index)
                }
            }
        }
    }

    /// An event, and the arrivals and acknowledgements of the messages that it names by the server's ids.
    func cause(_ index: Int, _ hosts: HostEvents) -> [Int] {
        let event = events[index].event
        let named = NamedInEvent(event, hosts).servers + event.places.compactMap(\.id)
        return [index]
            + events[..<index].indices.filter { other in
                guard !named.isEmpty, events[other].event.conversation == event.conversation else { return false }
                switch events[other].event.payload {
                case let message as MessageReceived: return named.contains(message.serverID)
                case let sent as MessageSent: return named.contains(sent.serverID)
                default: return false
                }
            }
    }

    /// The rest without some events, and without the ones that name one of them.
    func leavingOut(_ indices: some Sequence<Int>, of kept: Kept) -> Kept {
        var kept = kept
        var rest = Array(indices)
        while let index = rest.popLast() {
            if kept.remove(index) { rest += namedBy[index] ?? [] }
        }
        return kept
    }

    /// The kept events at the positions of a log of their own, under other names.
    private func written(_ kept: Kept, _ names: Pseudonyms) throws -> [RecordedEvent] {
        let indices = kept.indices
        var positions: [Position: Position] = [:]
        for (number, index) in indices.enumerated() { positions[events[index].position] = Position(UInt64(number) + 1) }
        var commits: [Position: Position] = [:]
        return try indices.map { index in
            let event = events[index]
            let position = positions[event.position] ?? .origin
            let commit = commits[event.commit] ?? position
            commits[event.commit] = commit
            return try names.renamed(event, moving: { Self.moved($0, positions, indices.count) })
                .moved(to: position, commit: commit)
        }
    }

    /// The position of a kept event in the log of its own; of others one that this log does not have.
    private static func moved(_ position: Position, _ positions: [Position: Position], _ count: Int) -> Position {
        position == .origin ? position : positions[position] ?? Position(max(position.rawValue, UInt64(count) + 1))
    }
}

extension ReducedLog {
    /// A temporary store of the kept events under other names, with a condition on it.
    struct Copy {
        let copy: StoreCopy
        let condition: Condition

        func holds() throws -> Bool { try copy.store.read { try condition.holds(condition.values($0)) } }
    }

    /// Makes a store of the kept events.
    ///
    /// - Parameters:
    ///   - store: The store of the log.
    ///   - names: Other names for all strings of the events and of the condition.
    func copy(
        _ kept: Kept, of store: MessageStore, _ condition: Condition, _ names: Pseudonyms
    ) throws -> Copy {
        let events = try written(kept, names)
        var positions: [LocalMessageID: LocalMessageID] = [:]
        for (old, new) in zip(kept.indices, events) {
            positions[LocalMessageID(self.events[old].position.rawValue)] = LocalMessageID(new.position.rawValue)
        }
        var configuration = MessageStoreCommand.configuration
        configuration.durability.level = .relaxed
        // So that no timer is due, whatever is left out.
        configuration.now = { Timestamp(milliseconds: 1) }
        let copy = try StoreCopy(
            of: store, to: Position(UInt64(events.count)), account: UserID(names.name(of: store.account.rawValue)),
            configuration: configuration, showsProgress: false
        ) { range in Array(events[Int(range.lowerBound.rawValue) - 1..<Int(range.upperBound.rawValue)]) }
        return Copy(copy: copy, condition: condition.renamed(names, positions))
    }
}
