import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("Specifications of projections")
struct ProjectionSpecTests {
    private static let events = [
        received("a", at: 1), starred("a", at: 2), starred("b", at: 3), unstarred("a", at: 4), starred("c", at: 5),
    ]

    @Test("one that holds")
    func holds() throws {
        try ProjectionSpec(Stars()).check(given: Self.events) { views in
            let shown = try views.starred()
            #expect(shown == ["c", "b"])
        }
    }

    @Test("I12: a fold that keeps state of its own is found")
    func impure() throws {
        #expect(throws: ProjectionSpecFailure.self) {
            try ProjectionSpec(Impure()).check(given: Self.events) { _ in }
        }
    }

    @Test("an expectation that does not hold is thrown")
    func fails() throws {
        #expect(throws: ProjectionError.self) {
            try ProjectionSpec(Stars()).check(given: Self.events) { _ in throw ProjectionError(code: 1) }
        }
    }
}

/// Counts in a variable what it should count in a row.
private final class Impure: Projection {
    private let count = Locked<UInt64>(0)

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(Stars.id, version: 1, handles: [.reactionAdded], tables: Stars.counts)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        let now = count.withLock { count in
            count += 1
            return count
        }
        try rows.put(StarCount(count: now), in: Stars.counts, at: group)
    }
}
