import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("What recording tells of each event", .store)
struct RecordResultTests {
    @Test("I4: what was known is reported by its index, also where it came twice in one call or is not kept")
    func known() throws {
        try store.record(received("a", at: 1))
        let result = try store.record([
            received("x", at: 2, policy: .transient), received("a", at: 1), received("b", at: 2),
            received("b", at: 2), received("c", at: 3),
        ])
        #expect(result.known == [1, 3] && result.duplicates == 2)
        #expect(result.positions == [nil, Position(1), Position(2), Position(2), Position(3)])
    }

    @Test("I4, I6: of a package the index is that of its events, whatever the store records behind them")
    func package() throws {
        let package = OfflinePackage(index: 1, events: [received("a", at: 1), received("b", at: 2)], hasMore: true)
        #expect(try store.ingest(package).known == [])
        let again = try store.ingest(package)
        #expect(again.known == [0, 1] && again.positions.count == 2)
    }

    @Test("tokens for messages to be sent differ, are short and mean nothing")
    func tokens() {
        let tokens = (0..<1_000).map { _ in ClientToken.unique().rawValue }
        #expect(Set(tokens).count == 1_000)
        #expect(tokens.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test("errors have one number each, which never changes")
    func numbers() throws {
        let codes: [StoreError.Code] = [
            .invalidArgument, .notFound, .storeMissing, .notAStore, .newerFormat, .accountMismatch, .logDamaged,
            .logRolledBack, .recordDamaged, .viewsDamaged, .rebuilding, .projectionFailed, .alreadyOpen, .readOnly,
            .closed,
            .nestedAccess, .diskFull, .tooManyReaders, .mustReopen, .permissionDenied, .inputOutput, .hookFailed,
            .hookMissing, .packageMissing, .tokenReused, .invalidTime,
        ]
        #expect(codes.map(\.number) == Array(1...26))
        try withTemporaryStore { store throws in
            let error = #expect(throws: StoreError.self) { try store.redact(Position(9)) }
            let bridged = try #require(error) as NSError
            #expect(bridged.domain == "MessageStore.StoreError" && bridged.code == StoreError.Code.notFound.number)
            #expect(bridged.localizedDescription == error?.description)
        }
    }
}
