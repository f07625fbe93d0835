internal import MessageStoreLMDB
internal import MessageStoreSealing

/// The access of a log's shipping to its store.
extension MessageStore {
    /// The id of the store, in hexadecimal.
    package var storeName: String {
        let id = storeID
        return id.span.bytes.hexadecimal
    }

    /// The last position that is durable.
    package func durablePosition() throws -> Position { try opened().log.durablePosition }

    /// Counts the changes without a new event, erasures among them.
    package var rewrites: Int { signal.rewrites }

    /// Whether the log of a store that no process has open holds an erasure that is due and not finished.
    package static func owesErasures(at path: String, key: KeySource? = nil) throws -> Bool {
        try StoreError.translating {
            let directory = try StoreDirectory(path: path)
            return try directory.openLog(key).log.owed().contains { $0.state == .recorded }
        }
    }

    /// Whether events are recorded whose erasure is due and not finished.
    package func owesErasures() throws -> Bool {
        let log = try opened().log
        return try StoreError.translating { try log.owed().contains { isDue($0) } }
    }

    /// A segment in memory of the events that are durable after a position; nil if there are none.
    ///
    /// - Parameters:
    ///   - end: The last position that it may have.
    ///   - limit: It ends with the record that reaches so many bytes.
    /// - Throws: `StoreError`: `positionCut` if records after the position were cut off, `recordDamaged`.
    package func segment(
        after position: Position, upTo end: Position = Position(.max), limit: Int
    ) throws -> (bytes: [UInt8], last: Position)? {
        let log = try opened().log
        return try StoreError.translating {
            try log.segment(after: position, upTo: end, limit: limit, storeID: storeID)
        }
    }

    /// A segment in memory of one durable event, even if the records before it were cut off.
    ///
    /// - Throws: `StoreError` with code `recordDamaged`.
    package func segment(of position: Position) throws -> [UInt8] {
        let log = try opened().log
        return try StoreError.translating { try log.segment(of: position, storeID: storeID) }
    }

    /// The positions of a segment, and the first whose event differs from the store's; nil if the bytes are no whole
    /// segment.
    package func comparison(
        withSegment bytes: [UInt8]
    ) throws -> (positions: ClosedRange<Position>, firstDifference: Position?)? {
        let log = try opened().log
        return try StoreError.translating { try log.comparison(withSegment: bytes, storeID: storeID) }
    }

    /// An object with words as it is shipped: sealed, if the store is.
    ///
    /// - Parameter name: The name of the object, with which it is associated.
    package func shippedForm(of content: [UInt8], name: String) throws -> [UInt8] {
        _ = try opened()
        return opening.keyring.keys.map { SealedFile.seal(content, name, $0.shipping) } ?? content
    }

    /// The content of a shipped object with words.
    ///
    /// - Throws: `StoreError`: `segmentDamaged`; `keyUnavailable` for a sealed one without a key; `keyRefused` for another
    ///   key, and for a clear one where a key is given.
    package static func content(ofShipped object: [UInt8], name: String, key: KeySource?) throws -> [UInt8] {
        guard SealedFile.isSealed(object) else {
            if key == nil { return object }
            throw StoreError(.keyRefused, "a key is given, and a shipped object is not sealed", path: name)
        }
        let key = try key.map { StoreKeys.shipping(of: try $0.secretKey(for: name)) }
        guard let content = try SealedFile.open(object, name, key, path: name) else {
            throw StoreError(.segmentDamaged, "a shipped object is damaged", path: name)
        }
        return content
    }

    /// A name of the key of shipped objects, from which the key does not follow; nil if they are clear.
    package var shippingKeyName: [UInt8]? {
        opening.keyring.keys.map { $0.shipping.keyedHash(UnsafeRawBufferPointer(start: nil, count: 0)) }
    }

    /// Whether the store's key opens a segment.
    package func opens(segment bytes: [UInt8]) throws -> Bool {
        _ = try opened()
        return (try? EventLog.check(opening.keyring.keys?.shipping, opensSegment: bytes, path: path)) != nil
    }

    /// A function that throws if a host's key does not open a segment, as `StoreError` with code `keyUnavailable` or
    /// `keyRefused`.
    package static func keyCheck(
        _ key: KeySource?, ofPlace path: String
    ) throws -> @Sendable (_ segment: [UInt8], _ name: String) throws -> Void {
        let shipping = try key.map { StoreKeys.shipping(of: try $0.secretKey(for: path)) }
        return { try EventLog.check(shipping, opensSegment: $0, path: $1) }
    }

    /// The first event that this store recorded itself, and did not get as a copy of another one's log; nil if there is
    /// none.
    package func firstOwnPosition() throws -> Position? {
        let log = try opened().log
        let copied = try StoreError.translating { try log.lineage(storeID: storeID).copiedPosition }
        return copied < log.lastPosition ? Position(copied.rawValue + 1) : nil
    }

    /// The first event that a ledger of another copy names and that has its content here; nil if all of them lost it.
    package func firstUnredacted(of ledger: ErasureLedger) throws -> Position? {
        let log = try opened().log
        return try StoreError.translating {
            try log.unredacted(of: ledger.limited(to: log.lineage(storeID: storeID))).first
        }
    }

    /// Redacts the content that a ledger of another copy names and this store still has.
    package func redact(by ledger: ErasureLedger) throws {
        let resources = try openedForWriting()
        try StoreError.translating {
            let limited = try ledger.limited(to: resources.log.lineage(storeID: storeID))
            try writer.withLock { state throws in
                try closing.check()
                let positions = try resources.log.unredacted(of: limited)
                guard !positions.isEmpty else { return }
                defer { resources.views.noteRedaction() }
                try lagging.erasing(positions) { try resources.log.redact(positions, now: configuration.now()) }
                scheduleIdleFlush(&state)
            }
        }
        signal.note(.rewritten)
    }

    /// Appends segments to a copy of a log that nobody has open for writing, and notes whose events they are.
    ///
    /// A kill leaves the copy as it was, or with some of the events; it can be repeated. Views are folded by the next
    /// opening.
    ///
    /// - Parameters:
    ///   - segments: Files in their order; events that the copy has already are left out.
    ///   - ledger: The erasures since: the copy never has the erased content.
    /// - Returns: The last position of the copy.
    /// - Throws: `StoreError`: `lineageMismatch` if the copy has events of its own, `segmentMissing`, `segmentDamaged`,
    ///   `alreadyOpen`, and errors of opening a store.
    package static func append(
        segments: [String], to path: String, erasing ledger: ErasureLedger?, configuration: Configuration
    ) throws -> Position {
        try StoreError.translating {
            let directory = try StoreDirectory(path: path)
            try directory.requireStore()
            let lock = try directory.lock()
            defer { lock.release() }
            let identity = try StoreIdentity.read(from: directory.path)
            let storeID = identity.idBytes ?? []
            let keys = try identity.keys(in: directory, configuration.privacy.key)
            let log = try EventLog(
                path: directory.logPath, configuration: .init(access: .readWrite, key: keys?.log),
                types: EventTypes(configuration.events), segmentKey: { keys?.shipping })
            try identity.check(against: log, of: keys?.account, notesID: true, path: directory.path)
            try log.useJournal(of: storeID)
            var (last, lineage) = (log.lastPosition, try log.lineage(storeID: storeID))
            for segment in segments {
                (last, lineage) = try log.append(
                    segment: segment, after: last, of: lineage, erasing: ledger, noting: storeID, progress: { _, _ in })
            }
            try log.closeJournal()
            return last
        }
    }
}
