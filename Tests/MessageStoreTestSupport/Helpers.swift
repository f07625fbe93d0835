import MessageStore
@_exported import MessageStoreModel
@_exported import MessageStoreTestKit
@_exported import MessageStoreWorkload
import Testing

/// Runs `body` with an open store in a directory of its own, and expects that its views are at last those of a replay.
///
/// - Parameters:
///   - change: Changes the configuration before the store is opened.
///   - body: Lent the store.
func withTemporaryStore(
    _ change: (inout MessageStore.Configuration) -> Void = { _ in }, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (MessageStore) throws -> Void
) throws {
    let place = try TemporaryStore()
    let store = try place.open(change)
    try body(store)
    #expect(try store.isConsistent(), sourceLocation: sourceLocation)
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
