internal import Dispatch
internal import MessageStoreLMDB

/// Restores a shipped log, on this machine or another.
///
/// ```swift
/// let restorer = LogRestorer(from: try FolderCarrier("/mnt/backup/alice"))
/// show(try await restorer.firstPage())  // before the log has arrived
/// try await restorer.restore(to: path)
/// ```
public struct LogRestorer: Sendable {
    let carrier: any Carrier
    private let key: KeySource?
    let queue = DispatchQueue(label: "MessageStore.LogRestorer")

    /// - Parameters:
    ///   - carrier: The place to which the log was shipped.
    ///   - key: Gives the key of the store that shipped, if that is sealed; the new store is sealed under it as well.
    public init(from carrier: any Carrier, key: KeySource? = nil) {
        (self.carrier, self.key) = (carrier, key)
    }

    /// The top of the conversation list as it was shipped last; nil if there is no page.
    ///
    /// Costs a few small requests, whatever the size of the log. The page is at most a minute older than the last round,
    /// and does not show later events.
    ///
    /// - Throws: `StoreError`: `carrierFailed`, `carrierRefused`, `segmentDamaged`, `keyUnavailable`, `keyRefused`.
    public func firstPage() async throws -> FirstPage? {
        guard let first = try await carrier.get(ObjectName.first) else { return nil }
        let store = try SealedJSON.decode(FirstStore.self, first, name: ObjectName.first).store
        // Most places have one store, whose page is asked for without a list.
        if let page = try await page(of: store) { return page }
        guard let log = try await ShippedLog.list(carrier) else { return nil }
        for store in log.stores.reversed() {
            if let page = try await page(of: store) { return page }
        }
        return nil
    }

    private func page(of store: String) async throws -> FirstPage? {
        let name = ObjectName.page(of: store)
        guard let bytes = try await carrier.get(name) else { return nil }
        let content = try MessageStore.content(ofShipped: bytes, name: name, key: key)
        return try SealedJSON.decode(FirstPage.self, content, name: name)
    }

    /// Makes a new store of the shipped log, without the words that were erased.
    ///
    /// Fetches the newest base and the segments that continue it, next to the new store, which takes twice the room of the
    /// log meanwhile. The store appears when it is whole; a crash leaves none. Its views are folded by its first
    /// opening. It has an id of its own: see `LogShipper.Options.takesOver`.
    ///
    /// - Parameters:
    ///   - path: The new store's directory; nothing may exist there, and its parent must exist.
    ///   - progress: Called periodically with the bytes that were fetched.
    /// - Returns: The last position of the new store.
    /// - Throws: `StoreError`: `storeMissing` if nothing was shipped; `segmentDamaged`, `segmentMissing`,
    ///   `carrierFailed`, `carrierRefused`; and errors of `MessageStore.restoreBackup`.
    @discardableResult
    public func restore(
        to path: String, progress: @escaping @Sendable (_ fetched: Int) -> Void = { _ in }
    ) async throws -> Position {
        _ = try StoreError.translating { try StoreDirectory(new: path) }
        // The writer may remove objects that a list names.
        var attempt = 1
        while true {
            do { return try await restoreOnce(to: path, progress) } catch let error as StoreError
                where error.code == .segmentMissing && attempt < 3
            {
                attempt += 1
            }
        }
    }

    /// Fetches everything that a restore would, and compares checksums and positions, without room on disk.
    ///
    /// - Returns: The last position that would be restored.
    /// - Throws: `StoreError`: `storeMissing` if nothing was shipped; `segmentDamaged` or `segmentMissing`, which names
    ///   an object that cannot be restored or is not there; `keyUnavailable` or `keyRefused`, which names one that the key
    ///   does not open; errors of the carrier.
    @discardableResult
    public func check() async throws -> Position {
        try await check(MessageStore.keyCheck(key, ofPlace: carrier.description))
    }

    func check(_ checkKey: @escaping ObjectFetch.KeyCheck) async throws -> Position {
        guard let log = try await ShippedLog.list(carrier), let base = log.bases.last else {
            throw StoreError(.storeMissing, "no log was shipped", path: carrier.description)
        }
        let fetch = ObjectFetch(carrier: carrier, checkKey: checkKey)
        try await fetch.check(base)
        _ = try await log.ledger(carrier)
        return try await fetch.check(log.segments(after: base.position), after: base.position)
    }

    private func restoreOnce(
        to path: String, _ progress: @escaping @Sendable (_ fetched: Int) -> Void
    ) async throws -> Position {
        guard let log = try await ShippedLog.list(carrier), let base = log.bases.last else {
            throw StoreError(.storeMissing, "no log was shipped", path: carrier.description)
        }
        let work = try WorkDirectory(.restoring, nextTo: path)
        defer { work.remove() }
        let fetched = work.path
        let sum = Locked(0)
        let checkKey = try MessageStore.keyCheck(key, ofPlace: carrier.description)
        let fetch = ObjectFetch(carrier: carrier, checkKey: checkKey) { added in
            progress(
                sum.withLock { sum in
                    sum += added
                    return sum
                })
        }
        try await fetch.base(base, to: fetched + "/base")
        let segments = try await fetch.segments(log.segments(after: base.position), to: fetched)
        // After the segments, so that it names the erasures of any of them.
        let ledger = try await ShippedLog.list(carrier)?.ledger(carrier)?.ledger
        return try await queue.run {
            try MessageStore.restoreBackup(
                from: fetched + "/base", segments: segments, to: path, applying: ledger, key: key)
        }
    }
}
