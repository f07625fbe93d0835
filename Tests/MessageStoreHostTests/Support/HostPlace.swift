import Foundation
import MessageStore
import Testing

/// A directory for a host's store, which goes with it.
final class HostPlace: Sendable {
    let directory = FileManager.default.temporaryDirectory.path + "/host-tests-" + UUID().uuidString
    var path: String { directory + "/store" }

    init() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Opens the store of the account `me` with these types of events.
    func open(_ events: [any EventPayload.Type] = [MessageStarred.self]) throws -> MessageStore {
        var configuration = MessageStore.Configuration()
        configuration.events = events
        configuration.durability.level = .relaxed
        // Random events have any times.
        configuration.sync.allowsTimesInSeconds = true
        return try MessageStore.open(path, account: "me", configuration: configuration)
    }

    /// Opens the store, lends it and closes it.
    @discardableResult
    func withStore<Result>(
        _ events: [any EventPayload.Type] = [MessageStarred.self], _ body: (MessageStore) throws -> Result
    ) throws -> Result {
        let store = try open(events)
        let result = try body(store)
        try store.close()
        return result
    }
}

/// The ``StoreError`` that `body` throws, or nil.
func storeError(_ body: () throws -> Void) -> StoreError? {
    do {
        try body()
        return nil
    } catch {
        return error as? StoreError
    }
}

extension MessageStore {
    /// Copies the whole log as JSON, as a backup would.
    func backup() throws -> [String] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try events().map { String(decoding: try encoder.encode($0), as: UTF8.self) }
    }

    /// Restores what ``backup()`` copied.
    func restore(_ backup: [String]) throws {
        let decoder = JSONDecoder()
        decoder.userInfo[.eventTypes] = eventTypes
        var lines = backup[...]
        try appendRecorded { try lines.popFirst().map { try decoder.decode(RecordedEvent.self, from: Data($0.utf8)) } }
    }
}
