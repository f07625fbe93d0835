import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("E3: opening and closing")
struct OpeningTests {
    @Test("I2: what was recorded is there after closing and opening again", arguments: [false, true])
    func reopening(isClosed: Bool) throws {
        let place = try TemporaryStore()
        do {
            let store = try place.open()
            try store.record(received("a", at: 1), received("b", at: 2), read(order(1, "a")))
            if isClosed { try store.close() }
        }
        try place.withStore { store throws in
            #expect(try store.texts() == ["a", "b"])
            #expect(try store.unread().messages == 1)
            #expect(try store.lastPosition() == Position(3))
            #expect(try store.record(received("c", at: 3)).position == Position(4))
            #expect(try store.isConsistent())
        }
    }

    @Test("I2: a store can be opened again as soon as it is closed, also while it writes its views")
    func immediateReopening() throws {
        let place = try TemporaryStore()
        for round in 0..<20 {
            let store = try place.open { $0.bufferBytes = 64 << 10 }
            try store.record((0..<300).map { received(ServerMessageID("m\(round)-\($0)"), at: Int64($0)) })
            try store.close()
        }
        try place.withStore { store throws in #expect(try store.unread().messages == 6000) }
    }

    @Test("B2: a store belongs to one account")
    func account() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in #expect(store.account == TemporaryStore.account) }
        let error = #expect(throws: StoreError.self) { _ = try place.open(account: "other") }
        #expect(error?.code == .accountMismatch)
        #expect(error?.message == "the store belongs to \(TemporaryStore.account), not to other")
        #expect(try MessageStore.account(ofStoreAt: place.path, key: TemporaryStore.key) == TemporaryStore.account)
    }

    @Test("a second opening in this process is refused, and the first goes on", arguments: [false, true])
    func secondOpening(isReadOnly: Bool) throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try store.record(received("a", at: 1))
        let error = #expect(throws: StoreError.self) {
            _ = isReadOnly ? try place.openReadOnly() : try place.open()
        }
        #expect(error?.code == .alreadyOpen)
        #expect(error?.message.contains("already open") == true && error?.message.contains("-1000001") == false)
        try store.record(received("b", at: 2))
        #expect(try store.texts() == ["a", "b"])
        try store.close()
    }

    @Test("a closed store refuses everything and closing it again is harmless")
    func closed() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let local = try store.local(queued("a"))
        try store.close()
        try store.close()
        expectError(.closed) { try store.record(received("a", at: 1)) }
        expectError(.closed) { _ = try store.texts() }
        expectError(.closed) { _ = try store.lastPosition() }
        expectError(.closed) { _ = try store.events() }
        expectError(.closed) { _ = try store.digests() }
        expectError(.closed) { _ = try store.verify() }
        expectError(.closed) { try store.rebuild() }
        expectError(.closed) { try store.flush() }
        expectError(.closed) { try store.redact(Position(local.rawValue)) }
        expectError(.closed) { _ = try store.statistics() }
        expectError(.closed) { _ = try store.profile("a") }
    }

    @Test("the store used from inside its own read says so instead of waiting for itself", .store)
    func nestedAccess() throws {
        try store.read { _ in
            expectError(.nestedAccess) { try store.record(received("a", at: 1)) }
            expectError(.nestedAccess) { _ = try store.texts() }
            expectError(.nestedAccess) { _ = try store.lastPosition() }
            expectError(.nestedAccess) { try store.flush() }
        }
        try store.record(received("a", at: 1))
        #expect(try store.texts() == ["a"])
    }

    @Test("what a read's body throws comes out as it is, and the store goes on")
    func throwingRead() throws {
        struct Mine: Error {}
        try withTemporaryStore { store throws in
            #expect(throws: Mine.self) { try store.read { _ in throw Mine() } }
            try store.record(received("a", at: 1))
            #expect(try store.texts() == ["a"])
        }
    }

    @Test("a store opened for reading only sees the unflushed tail and refuses to write")
    func readingOnly() throws {
        let place = try TemporaryStore()
        do {
            let store = try place.open()
            try store.record(received("a", at: 1))
            try store.flush()
            try store.record(received("b", at: 2))
        }
        let reader = try place.openReadOnly()
        #expect(reader.isReadOnly && reader.account == TemporaryStore.account)
        #expect(try reader.texts() == ["a", "b"])
        #expect(try reader.unread().messages == 2)
        #expect(try reader.isConsistent())
        expectError(.readOnly) { try reader.record(received("c", at: 3)) }
        expectError(.readOnly) { try reader.rebuild() }
        expectError(.readOnly) { try reader.flush() }
        expectError(.readOnly) { try reader.redact(Position(1)) }
        try reader.close()
        expectError(.closed) { _ = try reader.texts() }
    }

    @Test("recorded times never fall, whatever the clock does")
    func clock() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            for step in [0, 500, -100_000, 200] as [Int64] {
                place.time.move(byMilliseconds: step)
                try store.record(pinned())
            }
            let times = try store.events().map(\.recordedTime)
            #expect(times == times.sorted())
        }
        place.time.move(byMilliseconds: -9_000_000)
        try place.withStore { store throws in
            try store.record(pinned())
            let times = try store.events().map(\.recordedTime)
            #expect(times == times.sorted())
        }
    }

    @Test("an account id has 1 to 255 bytes", arguments: ["", String(repeating: "x", count: 256)])
    func badAccounts(account: String) throws {
        let place = try TemporaryStore()
        expectError(.invalidArgument) { _ = try place.open(account: UserID(account)) }
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }
}
