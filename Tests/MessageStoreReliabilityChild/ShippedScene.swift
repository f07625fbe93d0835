import Foundation
import MessageStore
import MessageStoreLMDB
import MessageStoreLog
import MessageStoreModel
import MessageStoreShipping
import MessageStoreTestCarriers
import MessageStoreWorkload

/// A place in memory with every kind of object: two stores shipped there, one after the other. Both are clear: objects are
/// forged, which nobody can without the key.
final class ShippedScene {
    let objects: [String: [UInt8]]
    private let directory: String
    /// The store that continues the log.
    private let store: MessageStore
    private let digests: [ProjectionID: UInt64]
    private let events: [RecordedEvent]
    /// A copy of the log that lacks its last segments.
    private var copy: String { directory + "/copy" }

    init(_ directory: String, seed: UInt64) throws {
        self.directory = directory
        let carrier = MemoryCarrier(objectSize: 16 << 10)
        var stream = RandomEvents(seed: seed)
        func record(_ store: MessageStore, _ batches: Int) throws {
            for _ in 0..<batches { try store.record(stream.nextBatch(after: store.lastPosition())) }
        }
        func ship(_ store: MessageStore, takesOver: Bool = false) throws {
            var options = LogShipper.Options()
            (options.segmentBytes, options.takesOver) = (1500, takesOver)
            let shipper = LogShipper(of: store, to: carrier, options: options)
            try waiting { try await shipper.ship() }
        }
        let first = try MessageStore.open(directory + "/first", account: RandomEvents.account)
        for _ in 0..<2 {
            try record(first, 12)
            try ship(first)
        }
        try first.close()
        let (second, copy) = (directory + "/second", directory + "/copy")
        try waiting { try await LogRestorer(from: carrier).restore(to: second) }
        store = try MessageStore.open(second, account: RandomEvents.account)
        try record(store, 8)
        try ship(store, takesOver: true)
        try waiting { try await LogFollower.open(copy, from: carrier).store.close() }
        try record(store, 8)
        let messages = try store.events(where: EventFilter(types: [.messageReceived]), limit: .max)
        if let message = messages.last { try store.redact(message.position) }
        if seed.isMultiple(of: 2) { try store.erase(.users(["u1"])) }
        try ship(store)
        (digests, events) = (try store.digests(), try store.events(limit: .max))
        objects = carrier.objects
    }

    deinit { try? store.close() }

    /// What an object is, which decides how it is read.
    static func kind(of name: String) -> String {
        let parts = name.split(separator: "/").map(String.init)
        if parts.count == 6 { return parts[5] == "manifest" ? "manifest" : "pieces" }
        return parts.count == 4 ? parts[2] : parts.last ?? ""
    }

    /// What an object says; nil where it is refused.
    func read(_ bytes: [UInt8], _ name: String) throws -> String? {
        switch Self.kind(of: name) {
        case "segments":
            guard bytes.isLogEnd else { return try segment(bytes) }
            return try text(of: LogEndNote.self, bytes)
        case "erasures":
            let ledger = try ErasureLedger(json: String(decoding: bytes, as: UTF8.self))
            _ = ledger.difference(from: nil)
            return try ledger.json
        case "pieces":
            // The manifest has the checksum of each.
            let checksum = BaseManifest.checksum(of: bytes)
            return checksum == objects[name].map(BaseManifest.checksum) ? checksum : nil
        case "manifest":
            let manifest = try SealedJSON.decode(BaseManifest.self, bytes, name: name)
            _ = try segment([UInt8](manifest.end))
            return manifest.isSafe ? try text(of: BaseManifest.self, bytes) : nil
        case "erased": return try text(of: ErasedNote.self, bytes)
        case "page": return try text(of: FirstPage.self, bytes)
        default: return try text(of: FirstStore.self, bytes)
        }
    }

    private func segment(_ bytes: [UInt8]) throws -> String? {
        try store.comparison(withSegment: bytes).map { "\($0.positions) \($0.firstDifference.map { "\($0)" } ?? "")" }
    }

    private func text<Value: Codable>(of type: Value.Type, _ bytes: [UInt8]) throws -> String {
        String(decoding: try SealedJSON.encode(SealedJSON.decode(type, bytes, name: "")), as: UTF8.self)
    }

    /// Restores the place with other objects, and lets the copy follow it; answers with the first problem.
    ///
    /// - Parameter isForged: Whether the objects' checksums are right, so that their events may be others.
    func checkWhole(_ changes: [String: [UInt8]], _ isForged: Bool) throws -> String? {
        let carrier = MemoryCarrier(objects.merging(changes) { $1 })
        let (restored, followed) = (directory + "/restored", directory + "/followed")
        defer { for path in [restored, followed] { try? FileSystem.remove(path) } }
        return try checkCopy(isForged) {
            try waiting { try await LogRestorer(from: carrier).restore(to: restored) }
            return try MessageStore.open(restored, account: RandomEvents.account)
        }
            ?? checkCopy(isForged) {
                try FileManager.default.copyItem(atPath: copy, toPath: followed)
                return try waiting {
                    let follower = try await LogFollower.open(followed, from: carrier)
                    do { try await follower.update() } catch {
                        try? await follower.store.close()
                        throw error
                    }
                    return follower.store
                }
            }
    }

    private func checkCopy(_ isForged: Bool, _ open: () throws -> MessageStore) throws -> String? {
        do {
            let copy = try open()
            defer { try? copy.close() }
            let (digests, events) = (try copy.digests(), try copy.events(limit: .max))
            guard !isForged else { return nil }
            return digests == self.digests && events == self.events ? nil : "the copy has other events"
        } catch is StoreError { return nil }
    }
}

/// Waits for asynchronous work.
@discardableResult
func waiting<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
    let (done, result) = (DispatchSemaphore(value: 0), Locked(Swift.Result<Result, any Error>?.none))
    Task.detached {
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        result.withLock { $0 = outcome }
        done.signal()
    }
    done.wait()
    guard let outcome = result.withLock({ $0 }) else { throw CancellationError() }
    return try outcome.get()
}
