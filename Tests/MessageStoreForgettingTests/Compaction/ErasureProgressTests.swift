import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("I22: what is only begun is reported as begun", .timeLimit(.minutes(30)))
struct ErasureProgressTests {
    /// Commits of the log of which the first ones succeed.
    private final class Faults: Sendable {
        private let left = Locked<Int?>(nil)
        /// Lets all commits after the next `count` fail; none where it is nil.
        func fail(after count: Int?) { left.withLock { $0 = count } }
        @Sendable func check() throws {
            let isFailing = left.withLock { left in
                guard let count = left else { return false }
                left = max(0, count - 1)
                return count == 0
            }
            if isFailing { throw FileError(operation: "write", path: "data.mdb", errno: ENOSPC) }
        }
    }

    private static let group = ConversationKey.group("g")
    private static let clearing = Event(HistoryCleared(erases: true), in: group)

    private static func message(_ number: Int) -> Event {
        .received(
            ServerMessageID("m\(number)"), from: "bob", in: group, at: Timestamp(milliseconds: Int64(number)),
            content: .text(SecretFiles.secret))
    }

    private static func hasSecret(_ store: MessageStore) throws -> Bool {
        try store.read { try $0.profile("bob").info.name }?.contains(SecretFiles.secret) == true
            || store.events(limit: .max).contains { "\($0.event)".contains(SecretFiles.secret) }
    }

    /// Runs `body` in new stores, in which ever more commits succeed, until it answers that the erasure is done.
    ///
    /// - Parameter body: Answers nil where nothing was recorded.
    private static func sweep(
        _ body: (_ store: MessageStore, _ faults: Faults, _ path: String) throws -> ErasureProgress?
    ) throws {
        var unfinished = 0
        for count in 0..<100 {
            let place = try TemporaryStore()
            let first = try place.open()
            try first.record([
                message(1), message(2), Event(ProfilesFetched([Profile(id: "bob", name: SecretFiles.secret)])),
            ])
            // Makes the table of what is owed.
            try first.redact(Position(2))
            // The views end with the record that an erasure of values changes.
            try first.close()
            let faults = Faults()
            let store = try place.open { $0.commitFault = faults.check }
            faults.fail(after: count)
            switch try body(store, faults, place.path) {
            case .done:
                try store.close()
                #expect(unfinished > 0, "no commit failed after the event was recorded")
                return
            case .unfinished: unfinished += 1
            case .waiting, nil: break
            }
            faults.fail(after: nil)
            try? store.close()
        }
        Issue.record("the erasure never ended")
    }

    @Test("where a commit fails, erase throws until no answer has the name, and readers refuse the log")
    func erase() throws {
        try Self.sweep { store, faults, path throws in
            let error: StoreError
            do {
                try store.erase(.users(["bob"], alsoMessages: true))
                #expect(try !Self.hasSecret(store))
                return .done
            } catch let thrown as StoreError { error = thrown }
            guard error.code == .erasureUnfinished else { return nil }
            #expect(error.position == Position(4))
            faults.fail(after: 0)
            #expect(try store.lastPosition() == Position(4), "it is recorded once")
            let verified = #expect(throws: StoreError.self) { try store.verify() }
            #expect(verified?.code == .erasureUnfinished)
            try? store.close()
            let refused = #expect(throws: StoreError.self) {
                try MessageStore.openReadOnly(path, configuration: .ofTests).close()
            }
            #expect(refused?.code == .erasureUnfinished && refused?.position == Position(4))
            #expect(try MessageStore.check(path, configuration: .ofTests).findings.map(\.code) == [.erasureUnfinished])
            let next = try MessageStore.open(path, account: store.account, configuration: .ofTests)
            #expect(try !Self.hasSecret(next))
            #expect(try next.erase(.users(["bob"], alsoMessages: true)) == nil)
            #expect(try next.verify().isConsistent)
            try next.close()
            let reader = try MessageStore.openReadOnly(path, configuration: .ofTests)
            #expect(try !Self.hasSecret(reader))
            try reader.close()
            #expect(try MessageStore.check(path, configuration: .ofTests).isSound)
            return .unfinished(error)
        }
    }

    @Test("a recorded event that erases is acknowledged, and the result says that it is not erased yet")
    func record() throws {
        try Self.sweep { store, faults, _ throws in
            guard let result = try? store.record([Self.clearing]) else { return nil }
            #expect(result.positions == [Position(4)])
            if case .unfinished(let error) = result.erasure {
                #expect(error.code == .diskFull)
                faults.fail(after: nil)
                #expect(try store.record([Self.clearing]).erasure == .done)
            }
            #expect(try store.events(limit: 2).allSatisfy(\.isRedacted))
            return result.erasure
        }
    }

    @Test("retain throws until no answer has what it clears")
    func retain() throws {
        var policy = RetentionPolicy()
        policy.standard = .init(messages: 1)
        policy.includesUnread = true
        try Self.sweep { store, faults, _ throws in
            do { try store.retain(policy) } catch let error as StoreError {
                guard error.code == .erasureUnfinished else { return nil }
                faults.fail(after: 0)
                let again = #expect(throws: StoreError.self) { try store.retain(policy) }
                #expect(again?.code == .erasureUnfinished)
                faults.fail(after: nil)
                #expect(try store.retain(policy).messageCount == 0)
                #expect(try store.events(limit: 1).allSatisfy(\.isRedacted))
                return .unfinished(error)
            }
            return .done
        }
    }

    @Test("content that is erased some time later waits, which is no failure and not done")
    func waiting() throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.privacy.removedContent = .erase(after: .seconds(3_600)) }
        try store.record([Self.message(1)])
        let recall = Event(MessagesDeleted([.server("m1")]), in: Self.group)
        #expect(try store.record([recall]).erasure == .waiting)
        #expect(try store.record([Self.message(2)]).erasure == .done)
        try store.close()
        let reader = try MessageStore.openReadOnly(place.path, configuration: .ofTests)
        #expect(try reader.lastPosition() == Position(3))
        try reader.close()
    }
}
