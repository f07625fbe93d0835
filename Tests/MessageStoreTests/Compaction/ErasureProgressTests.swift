import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore

@Suite("I22: what is only begun is reported as begun", .timeLimit(.minutes(30)))
struct ErasureProgressTests {
    private final class Faults: Sendable {
        private let isFailing = Locked(false)
        func fail(_ isFailing: Bool) { self.isFailing.withLock { $0 = isFailing } }
        @Sendable func check() throws {
            if isFailing.withLock({ $0 }) { throw FileError(operation: "write", path: "data.mdb", errno: ENOSPC) }
        }
    }

    private static let group = ConversationKey.group("g")

    private static func message(_ number: Int) -> Event {
        .received(
            ServerMessageID("m\(number)"), from: "bob", in: group, at: Timestamp(milliseconds: Int64(number)),
            content: .text(SecretFiles.secret))
    }

    private static let profile = Event(ProfilesFetched([Profile(id: "bob", name: SecretFiles.secret)]))

    private static func name(_ store: MessageStore) throws -> String? {
        try store.read { try $0.profile("bob").info.name }
    }

    @Test("where the views cannot be rebuilt, erase throws until no answer has the name, and readers have none")
    func erase() throws {
        let place = try TemporaryStore()
        let faults = Faults()
        let store = try place.open { $0.viewCommitFault = faults.check }
        try store.record([Self.message(1), Self.profile])
        faults.fail(true)
        for _ in 1...2 {
            let error = try #require(throws: StoreError.self) { try store.erase(users: ["bob"]) }
            #expect(error.code == .erasureUnfinished && error.position == Position(3))
        }
        #expect(try store.lastPosition() == Position(3), "it is recorded once")
        #expect(throws: StoreError.self) { try store.verify() }
        #expect(try store.statistics().owedSince != nil)
        faults.fail(false)
        try store.close()

        let error = #expect(throws: StoreError.self) { try MessageStore.openReadOnly(place.path) }
        #expect(error?.code == .erasureUnfinished && error?.position == Position(3))
        let report = try MessageStore.check(place.path)
        #expect(report.findings.map(\.code) == [.erasureUnfinished])

        let again = try place.open()
        #expect(try Self.name(again)?.contains(SecretFiles.secret) != true)
        #expect(try again.erase(users: ["bob"]) == nil)
        #expect(try again.verify().isConsistent)
        try again.close()
        let reader = try MessageStore.openReadOnly(place.path)
        #expect(try Self.name(reader)?.contains(SecretFiles.secret) != true)
        try reader.close()
        #expect(try MessageStore.check(place.path).isSound)
    }

    @Test("a recorded event that erases is acknowledged, and the result says that it is not erased yet")
    func record() throws {
        let place = try TemporaryStore()
        let faults = Faults()
        let store = try place.open { $0.commitFault = faults.check }
        #expect(try store.record([Self.message(1), Self.message(2)]).erasure == .done)
        // Makes the table of what is owed.
        try store.redact(Position(2))
        faults.fail(true)
        let result = try store.record([Event(HistoryCleared(erases: true), in: Self.group)])
        guard case .unfinished(let error) = result.erasure else {
            Issue.record("\(result.erasure)")
            return
        }
        #expect(error.code == .diskFull && result.positions == [Position(3)])
        faults.fail(false)
        #expect(try store.record([Event(HistoryCleared(erases: true), in: Self.group)]).erasure == .done)
        #expect(try store.events(limit: 2).allSatisfy(\.isRedacted))
        try store.close()
    }

    @Test("retain throws until no answer has what it clears")
    func retain() throws {
        let place = try TemporaryStore()
        let faults = Faults()
        let store = try place.open { $0.commitFault = faults.check }
        try store.record([Self.message(1), Self.message(2), Self.message(3)])
        try store.redact(Position(3))
        var policy = RetentionPolicy()
        policy.standard = .init(messages: 1)
        policy.includesUnread = true
        faults.fail(true)
        for _ in 1...2 {
            let error = try #require(throws: StoreError.self) { try store.retain(policy) }
            #expect(error.code == .erasureUnfinished)
        }
        faults.fail(false)
        #expect(try store.retain(policy).messageCount == 0)
        #expect(try store.events(limit: 2).allSatisfy(\.isRedacted))
        try store.close()
    }

    @Test("content that is erased some time later waits, which is no failure and not done")
    func waiting() throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.removedContent = .erase(after: .seconds(3_600)) }
        try store.record([Self.message(1)])
        let recall = Event(MessagesDeleted([.server("m1")]), in: Self.group)
        #expect(try store.record([recall]).erasure == .waiting)
        #expect(try store.record([Self.message(2)]).erasure == .done)
        try store.close()
        let reader = try MessageStore.openReadOnly(place.path)
        #expect(try reader.lastPosition() == Position(3))
        try reader.close()
    }
}
