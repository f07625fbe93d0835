import Foundation
import MessageStore
import Testing

/// A place for stores in a temporary directory, with a clock; the directory goes with it.
final class TemporaryStore: Sendable {
    let directory: String
    let clock = TestClock(startingAt: 1_700_000_000_000)
    static let account: UserID = "me"

    /// The store's own directory.
    var path: String { directory + "/store" }

    init() throws {
        directory = FileManager.default.temporaryDirectory.path + "/messagestore-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// A configuration with the test's clock; views are written only when the buffer is full or on closing.
    var configuration: MessageStore.Configuration {
        var configuration = MessageStore.Configuration()
        configuration.now = { [clock] in clock.now }
        configuration.idleFlushDelay = .seconds(3600)
        configuration.durability = .relaxed
        return configuration
    }

    /// Opens the store, or makes it.
    func open(
        account: UserID = account, _ change: (inout MessageStore.Configuration) -> Void = { _ in }
    ) throws -> MessageStore {
        var configuration = configuration
        change(&configuration)
        return try MessageStore.open(path, account: account, configuration: configuration)
    }

    func openReadOnly(_ change: (inout MessageStore.Configuration) -> Void = { _ in }) throws -> MessageStore {
        var configuration = configuration
        change(&configuration)
        return try MessageStore.openReadOnly(path, configuration: configuration)
    }

    /// Opens the store, lends it and closes it.
    @discardableResult
    func withStore<Result>(_ body: (MessageStore) throws -> Result) throws -> Result {
        let store = try open()
        let result = try body(store)
        try store.close()
        return result
    }
}

/// Runs `body` with an open store in a directory of its own.
///
/// - Parameters:
///   - change: Changes the configuration before the store is opened.
///   - body: Lent the store.
func withTemporaryStore(
    _ change: (inout MessageStore.Configuration) -> Void = { _ in },
    _ body: (MessageStore) throws -> Void
) throws {
    let place = try TemporaryStore()
    let store = try place.open(change)
    try body(store)
    try store.close()
}

/// Expects that `body` throws a store error with this code.
func expectError(
    _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    do {
        try body()
        Issue.record("nothing was thrown, but \(code) was expected", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? StoreError)?.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}
