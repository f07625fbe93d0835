internal import MessageStoreLMDB

extension LogShipper {
    /// Compares the place with the store, and makes the store the one that ships there if it may be.
    ///
    /// A damaged object that decides where the place ends is removed, if no other store has shipped there.
    func findCourse() async throws -> ShippingCourse { try await removingDamage { try await compareCourse() } }

    private func compareCourse() async throws -> ShippingCourse {
        let name = store.storeName
        // A copy may have words that were erased since.
        try await onQueue { Leftovers.remove(.shipping, in: FileSystem.parent(of: $0.path)) }
        if try await carrier.get(ObjectName.first) == nil {
            // Of two stores that begin here, one succeeds.
            _ = try await carrier.put(ShippedJSON.encode(FirstStore(store: name)), ifAbsent: ObjectName.first)
        }
        guard let log = try await ShippedLog.list(carrier) else {
            throw StoreError(.carrierFailed, "an object that was put is not there", path: carrier.description)
        }
        guard log.current == name || options.takesOver && !log.stores.contains(name) else {
            throw forked("another store ships here", at: log.segments.last?.first)
        }
        let head = try await checkedHead(of: log)
        // Before anything is removed: a predecessor's ledger goes with its bases.
        let ledger = try await log.ledger(carrier)
        if let ledger { try await take(ledger.ledger, isTakeOver: log.current != name) }
        if log.current != name {
            try await end(log.current, at: head, for: name)
            try await carrier.remove(ObjectName.page(of: log.current))
        } else if let base = log.bases.last {
            try await removeSuperfluous(log, .origin, base)
        }
        let number = ledger.flatMap { ObjectName.lastNumber(of: $0.name) } ?? 0
        // The next one needs a number as well.
        guard number < UInt64.max >> 2 else { throw damaged(ledger?.name ?? "") }
        let isErased = try await erasedLedger(of: name) == number
        if options.pageCount <= 0 { try await carrier.remove(ObjectName.page(of: name)) }
        return ShippingCourse(
            storeName: name, head: head, base: log.bases.last?.position, segments: log.segments,
            // Another store's ledger goes with its bases, and what a kill left in the place is looked for once more.
            ledger: log.current == name && isErased ? ledger?.ledger : nil, ledgerNumber: number)
    }

    /// Compares what was erased in the place with the store, and erases it here only where the host agreed to that: whoever
    /// can write to the place can forge a ledger (I19).
    ///
    /// - Throws: ``StoreError`` with code `lineageForked` where the store has what was erased in the place.
    private func take(_ ledger: ErasureLedger, isTakeOver: Bool) async throws {
        if isTakeOver || options.takesErasures { return try await onQueue { try $0.redact(by: ledger) } }
        if let position = try await onQueue({ try $0.firstUnredacted(of: ledger) }) {
            throw forked(
                "more was erased in the place than in the store: the store was set back to an earlier copy, or somebody else "
                    + "wrote there (Options.takesErasures erases it here)", at: position)
        }
    }

    private func erasedLedger(of store: String) async throws -> UInt64? {
        let name = ObjectName.erased(of: store)
        guard let bytes = try await carrier.get(name) else { return nil }
        return try ShippedJSON.decode(ErasedNote.self, bytes, name: name).ledger
    }

    /// The last position of the place, whose event must be the store's.
    private func checkedHead(of log: ShippedLog) async throws -> Position {
        if let segment = log.segments.last, segment.first > log.bases.last?.position ?? .origin {
            guard let bytes = try await carrier.get(segment.name) else {
                throw StoreError(.carrierFailed, "a segment that was listed is not there", path: segment.name)
            }
            return try await check(bytes, segment.name, from: segment.first)
        }
        guard let base = log.bases.last else { return .origin }
        let manifest = try await base.manifest(carrier)
        let name = base.name + ObjectName.manifest
        let last = try await check([UInt8](manifest.end), name, from: base.position)
        guard last == base.position else { throw damaged(name) }
        return last
    }

    /// The last position of a segment, all of whose events must be the store's.
    ///
    /// - Parameter first: The first position by the segment's name; the event before it may be in it as well.
    func check(_ segment: [UInt8], _ name: String, from first: Position) async throws -> Position {
        guard let found = try await onQueue({ try $0.comparison(withSegment: segment) }),
            found.positions.contains(first)
        else { throw damaged(name) }
        if let position = found.firstDifference {
            throw forked("the place has events that the store lacks", at: position)
        }
        return found.positions.upperBound
    }

    /// Ends the log of the store before this one, so that it ships no more.
    private func end(_ store: String, at head: Position, for successor: String) async throws {
        let note = LogEndNote(successor: successor, last: head.rawValue)
        let name = ObjectName.segment(of: store, from: Position(head.rawValue + 1))
        if try await carrier.put(ShippedJSON.encode(note), ifAbsent: name) { return }
        // An answer may have been lost.
        guard let bytes = try await carrier.get(name), bytes.isLogEnd,
            try ShippedJSON.decode(LogEndNote.self, bytes, name: name).successor == successor
        else { throw forked("the place was continued meanwhile", at: Position(head.rawValue + 1)) }
    }

    /// Lists the place, which this store must still continue, and to which nobody else may have put anything.
    ///
    /// - Throws: ``StoreError`` with code `lineageForked`.
    func checkedLog(_ course: ShippingCourse, upTo head: Position) async throws -> ShippedLog {
        guard let log = try await ShippedLog.list(carrier), log.current == course.storeName else {
            throw forked("another store continues the log", at: nil)
        }
        if let other = log.segments.last, other.first > course.head {
            throw forked("another writer shipped meanwhile", at: other.first)
        }
        if let other = log.bases.last, other.position > head {
            throw forked("another writer put a base meanwhile", at: other.position)
        }
        return log
    }

    private func damaged(_ name: String) -> StoreError {
        StoreError(.segmentDamaged, "a shipped object is damaged", path: name)
    }

    func forked(_ problem: String, at position: Position?) -> StoreError {
        StoreError(.lineageForked, problem, position: position, path: carrier.description)
    }

    /// Runs what blocks on the shipper's own thread.
    func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable (MessageStore) throws -> Result
    ) async throws -> Result {
        try await queue.run { [store] in try body(store) }
    }
}
