import Foundation
import MessageStoreLMDB
import MessageStoreSharing
import Testing
@testable import MessageStoreTestSupport

@testable import MessageStore

@Suite("The lens of a store", .timeLimit(.minutes(30)))
struct LensTests {
    private let place: TemporaryStore
    private var path: String { place.directory + "/lens" }

    init() throws { place = try TemporaryStore() }

    private func open(_ change: (inout LensConfiguration) -> Void = { _ in }) throws -> MessageStore {
        var lens = LensConfiguration(path: path)
        change(&lens)
        return try place.open { $0.processes.lens = lens }
    }

    @Test("it shows what the store shows: badge, names, mutes, read places and recent messages")
    func content() throws {
        let store = try open { $0.values = { ["unread": "\(try $0.unreadTotals().messages)"] } }
        try store.record([
            received("a", at: 1), received("b", at: 2, in: .group("其他")), received("c", at: 3, in: .group("其他")),
            Event(ConversationMuted(true), in: group, origin: .otherDevice),
            .read(upTo: MessageOrder(time: ms(2), id: "b"), in: .group("其他")),
        ])
        try store.close()
        let lens = try Lens(at: path, key: TemporaryStore.key)
        try place.withStore { store in
            let (list, totals) = try store.read { (try $0.conversations(limit: 10).elements, try $0.unreadTotals()) }
            #expect(lens.account == TemporaryStore.account)
            #expect(lens.position == Position(5))
            #expect(lens.badge == totals.badge && lens.badge == 1)
            #expect(lens.conversations.map(\.key) == list.map(\.key))
            #expect(lens.conversations.map(\.displayName) == list.map(\.displayName))
            #expect(lens.conversations.map(\.unreadMessages) == list.map(\.unread.messages))
            #expect(lens.conversations.map(\.readUpTo) == list.map(\.unread.readUpTo))
            #expect(lens.values == ["unread": "\(totals.messages)"])
        }
        #expect(lens.conversation(group)?.isMuted(at: .now) == true)
        #expect(lens.conversation(.group("其他"))?.isMuted(at: .now) == false)
        #expect(lens.hasRecent("a", in: group) && lens.hasRecent("c", in: .group("其他")))
        #expect(!lens.hasRecent("c", in: group) && !lens.hasRecent("d", in: group))
    }

    /// A store with a lens, and how often that was written.
    private func openCounting(_ clock: ManualClock) throws -> (store: MessageStore, written: Watched<Int>) {
        var configuration = LensConfiguration(path: path)
        let written = Watched(0)
        configuration.values = { _ in
            written.change { $0 += 1 }
            return [:]
        }
        let store = try place.open {
            $0.processes.lens = configuration
            $0.clock = clock
        }
        return (store, written)
    }

    @Test("it follows changes while the store is open, at most once in the interval, and not without a change")
    func following() async throws {
        let clock = ManualClock()
        let (store, written) = try openCounting(clock)
        let queue = try #require(store.lens).worker.queue
        /// The file is written on the queue that asked for the values.
        func wait(for count: Int) async throws -> Position {
            await written.wait { $0 == count }
            try await store.run(on: queue) {}
            return try Lens(at: path, key: TemporaryStore.key).position
        }
        #expect(try await wait(for: 1) == .origin)
        for number in 1...50 { try await store.record(received("m\(number)", at: Int64(number))) }
        #expect(try Lens(at: path, key: TemporaryStore.key).position == .origin)
        #expect(written.value == 1)
        clock.advance(by: .seconds(1))
        #expect(try await wait(for: 2) == Position(50))
        #expect(written.value == 2)
        try await store.record(received("last", at: 100))
        try await store.suspend()
        #expect(try Lens(at: path, key: TemporaryStore.key).position == Position(51))
        try await store.close()
    }

    @Test("events that are restored into an open store are shown without a further one", arguments: [false, true])
    func restored(isFailing: Bool) async throws {
        struct Unreadable: Error {}
        let source = try TemporaryStore()
        let events = try source.withStore { store in
            for number in 1...3 { try store.record(received("m\(number)", at: Int64(number))) }
            return try store.events()
        }
        let clock = ManualClock()
        let (store, written) = try openCounting(clock)
        await written.wait { $0 == 1 }
        var rest = events[...]
        // The commits before the one that cannot be read are there.
        do {
            try store.appendRecorded {
                if rest.isEmpty, isFailing { throw Unreadable() }
                return rest.popFirst()
            }
            #expect(!isFailing)
        } catch is Unreadable {}
        clock.advance(by: .seconds(1))
        await written.wait { $0 == 2 }
        try await store.run(on: #require(store.lens).worker.queue) {}
        let badge = try await store.read { try $0.unreadTotals().badge }
        #expect(try Lens(at: path, key: TemporaryStore.key).badge == badge && badge == (isFailing ? 2 : 3))
        try await store.close()
    }

    @Test("a file that is not whole is an error, and the store writes another one")
    func damaged() throws {
        expectError(.storeMissing) { _ = try Lens(at: path, key: TemporaryStore.key) }
        let store = try open()
        try store.record(received("a", at: 1))
        try store.close()
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        let whole = try Lens(at: path, key: TemporaryStore.key)
        var random = SplitMix64(seed: 1)
        for _ in 0..<300 {
            var changed = bytes
            switch random.nextIndex(3) {
            case 0: changed.removeLast(1 + random.nextIndex(changed.count))
            case 1: changed[random.nextIndex(changed.count)] ^= UInt8(1 << random.nextIndex(8))
            default: changed.insert(UInt8(random.nextIndex(256)), at: random.nextIndex(changed.count))
            }
            try Data(changed).write(to: URL(fileURLWithPath: path))
            expectError(.lensDamaged) { _ = try Lens(at: path, key: TemporaryStore.key) }
        }
        try open().close()
        #expect(try Lens(at: path, key: TemporaryStore.key) == whole)
        // A leftover of a kill is not in the way.
        try "half".write(toFile: path + ".messagestore-new", atomically: false, encoding: .utf8)
        let again = try open()
        try again.record(received("b", at: 2))
        try again.close()
        #expect(try Lens(at: path, key: TemporaryStore.key).position == Position(2))
    }

    @Test("a lens that cannot be written is logged and disturbs nothing")
    func unwritable() throws {
        let store = try place.open { $0.processes.lens = LensConfiguration(path: place.directory + "/none/lens") }
        try store.record(received("a", at: 1))
        #expect(try store.texts() == ["a"])
        try store.close()
        let large = try open { $0.values = { _ in ["x": String(repeating: "x", count: 2 << 20)] } }
        try large.record(received("b", at: 2))
        try large.close()
        expectError(.storeMissing) { _ = try Lens(at: path, key: TemporaryStore.key) }
    }

    @Test("erased names leave the lens")
    func erasure() throws {
        let store = try open()
        try store.record([
            Event(ConversationUpdated(ConversationFields(name: "secret name")), in: group), received("a", at: 1),
        ])
        try store.suspend()
        try store.resume()
        #expect(try Lens(at: path, key: TemporaryStore.key).conversation(group)?.displayName == "secret name")
        try store.erase(.conversations([group]))
        try store.suspend()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data("secret".utf8)) == nil)
        try store.close()
    }
}
