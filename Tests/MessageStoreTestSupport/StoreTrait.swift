import MessageStore
import Testing

/// Gives each test an empty ``store``, and expects that its views are at last those of a replay.
struct StoreTrait: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal fileprivate static var current: MessageStore?

    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let (place, store) = try Self.opened()
        try await Self.$current.withValue(store) { try await function() }
        try Self.close(store, test)
        withExtendedLifetime(place) {}
    }

    private static func opened() throws -> (TemporaryStore, MessageStore) {
        let place = try TemporaryStore()
        return (place, try place.open())
    }

    private static func close(_ store: MessageStore, _ test: Test) throws {
        #expect(try store.isConsistent(), sourceLocation: test.sourceLocation)
        try store.close()
    }
}

extension Trait where Self == StoreTrait {
    static var store: Self { Self() }
}

/// The empty store of a test with the trait `store`.
var store: MessageStore {
    guard let store = StoreTrait.current else { preconditionFailure("the test lacks the trait `store`") }
    return store
}
