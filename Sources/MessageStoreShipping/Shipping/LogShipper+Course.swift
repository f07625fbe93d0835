internal import MessageStoreLog

extension LogShipper {
    /// Compares the place with the store, and makes the store the one that ships there if it may be.
    func findCourse() async throws -> ShippingCourse {
        let name = store.storeName
        if try await carrier.get(ObjectName.first) == nil {
            // Of two stores that begin here, one succeeds.
            _ = try await carrier.put(ShippedJSON.encode(FirstStore(store: name)), ifAbsent: ObjectName.first)
        }
        guard let log = try await ShippedLog.list(carrier) else {
            throw StoreError(.carrierFailed, "what was put is not there", path: carrier.description)
        }
        guard log.current == name || options.takesOver && !log.stores.contains(name) else {
            throw forked("another store ships here", at: log.segments.last?.first)
        }
        let head = try await checkedHead(of: log)
        if log.current != name { try await end(log.current, at: head, for: name) }
        if log.current == name, let base = log.bases.last { try await removeSuperfluous(log, .origin, base.name) }
        let ledger = try await log.ledger(carrier)
        let isErased = try await erasedLedger(of: name) == ledger?.number
        return ShippingCourse(
            storeName: name, head: head, base: log.bases.last?.position,
            segments: log.segments,
            // Another store's ledger goes with its bases, and what a kill left in the place is looked for once more.
            ledger: log.current == name && isErased ? ledger?.ledger : nil, ledgerNumber: ledger?.number ?? 0)
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
            return try await check(bytes, segment.name)
        }
        guard let base = log.bases.last else { return .origin }
        let manifest = try await self.manifest(of: base)
        guard manifest.position > 0 else { return .origin }
        return try await check(manifest.end, base.name)
    }

    func manifest(of base: ShippedLog.Base) async throws -> BaseManifest {
        let name = base.name + ObjectName.manifest
        guard let bytes = try await carrier.get(name) else {
            throw StoreError(.carrierFailed, "a base that was listed is not there", path: name)
        }
        return try ShippedJSON.decode(BaseManifest.self, bytes, name: name)
    }

    /// The last position of a segment, all of whose events must be the store's.
    func check(_ segment: [UInt8], _ name: String) async throws -> Position {
        guard let found = try await onQueue({ try $0.comparison(withSegment: segment) }) else {
            throw StoreError(.segmentDamaged, "a shipped segment is damaged", path: name)
        }
        if let position = found.firstDifference {
            throw forked("the place has events that the store lacks", at: position)
        }
        return found.last
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
