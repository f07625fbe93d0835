import Dispatch
import Foundation
import MessageStore
import MessageStoreSharing
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("A store that is suspended", .timeLimit(.minutes(30)))
struct SuspensionTests {
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    /// The descriptors of this process that are open on files of the store.
    private func descriptors() -> [String] {
        let directory = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: directory + "/" + $0) }
            .filter { $0.hasPrefix(place.path + "/") && !["log", "views"].contains($0.split(separator: "/").last) }
    }

    @Test("it holds no file and no lock, so that another process could open it, and continues with what that recorded")
    func free() throws {
        let store = try place.open()
        try store.record(received("a", at: 1))
        try store.suspend()
        #expect(descriptors() == [])
        try place.withStore { other in
            #expect(try other.texts() == ["a"])
            try other.record(received("b", at: 2))
        }
        try store.resume()
        #expect(try store.texts() == ["a", "b"])
        // Events of before and of meanwhile are known.
        let result = try store.record([received("a", at: 1), received("b", at: 2), received("c", at: 3)])
        #expect(result.known == [0, 1])
        #expect(try store.verify().isConsistent)
        try store.close()
        #expect(descriptors() == [])
    }

    @Test("calls throw that it is suspended, and calling twice is harmless")
    func calls() throws {
        let store = try place.open()
        try store.resume()
        try store.record(received("a", at: 1), acknowledgement: .visible)
        try store.suspend()
        try store.suspend()
        expectError(.suspended) { try store.record(received("b", at: 2)) }
        expectError(.suspended) { _ = try store.texts() }
        expectError(.suspended) { _ = try store.verify() }
        expectError(.suspended) { try store.compact() }
        try store.resume()
        try store.resume()
        #expect(try store.texts() == ["a"])
        try store.suspend()
        try store.close()
        expectError(.closed) { try store.resume() }
        expectError(.closed) { try store.suspend() }
        expectError(.closed) { _ = try store.texts() }
    }

    @Test("suspending again waits for nobody else who has the store open")
    func again() throws {
        let store = try place.open()
        try store.suspend()
        let other = try place.open()
        try store.suspend()
        try store.close()
        expectError(.closed) { try store.suspend() }
        try other.record(received("a", at: 1))
        try other.close()
    }

    @Test("closing ends a resumption that waits")
    func closingWhileResuming() throws {
        let store = try place.open()
        try store.suspend()
        let other = try place.open()
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            expectError(.closed) { try store.resume(waitingUpTo: .seconds(3600)) }
            isOver.signal()
        }
        // Nothing shows that a resumption waits; one that comes later is refused.
        usleep(20_000)
        try store.close()
        isOver.wait()
        try other.close()
    }

    @Test("I20: a file that has the name of a replaced log does not hinder a resumption, and stays")
    func obstacle() throws {
        let store = try place.open()
        try store.record(received("a", at: 1))
        try store.suspend()
        let obstacle = place.path + "/log.retired-1"
        try "x".write(toFile: obstacle, atomically: false, encoding: .utf8)
        try store.resume()
        #expect(try store.texts() == ["a"])
        try store.close()
        #expect(try String(contentsOfFile: obstacle, encoding: .utf8) == "x")
    }

    @Test("another store at its path is not taken for it")
    func replaced() throws {
        let store = try place.open()
        try store.suspend()
        try FileManager.default.removeItem(atPath: place.path)
        try place.open().close()
        expectError(.lineageMismatch) { try store.resume() }
        expectError(.suspended) { _ = try store.texts() }
        try place.open().close()
        try store.close()
    }

    @Test("it cannot be suspended from inside one of its reads")
    func nested() throws {
        let store = try place.open()
        expectError(.nestedAccess) { try store.read { _ in try store.suspend() } }
        try store.record(received("a", at: 1))
        try store.close()
    }

    @Test("live queries and tails wait, and go on with what is recorded afterwards")
    func waiting() async throws {
        let store = try place.open()
        try await store.record(received("a", at: 1))
        let counts = Follower(store.observe { try $0.unreadTotals().messages })
        let events = Follower(store.tail(after: .origin))
        #expect(try await counts.next() == 1)
        #expect(try await events.next()?.position == Position(1))
        for round in 2...6 {
            try await store.suspend()
            if round.isMultiple(of: 2) {
                // As another process would.
                let other = try place.open()
                try await other.record(received("other\(round)", at: Int64(round)))
                try await other.close()
            }
            try await store.resume()
            if !round.isMultiple(of: 2) { try await store.record(received("own\(round)", at: Int64(round))) }
            #expect(try await counts.next() == round)
            #expect(try await events.next()?.position == Position(UInt64(round)))
        }
        // One that begins while the store is suspended waits as well.
        try await store.suspend()
        let late = Follower(store.observe { try $0.unreadTotals().messages })
        let tail = Follower(store.tail(after: Position(5)))
        try await store.resume()
        #expect(try await late.next() == 6)
        #expect(try await tail.next()?.position == Position(6))
        try await store.suspend()
        try await store.close()
        #expect(try await late.rest() == [])
        #expect(try await events.rest().isEmpty)
    }

    @Test("a subscriber gets each event once")
    func subscriber() async throws {
        let store = try place.open()
        let handled = Locked<[UInt64]>([])
        let reached = Gates()
        try store.subscribe(
            Recorder { position in
                handled.withLock { $0.append(position.rawValue) }
                reached.open(Int(position.rawValue))
            })
        for round in 1...5 {
            try await store.record(received("m\(round)", at: Int64(round)))
            await reached.wait(round)
            try await store.suspend()
            try await store.resume()
        }
        try await store.close()
        // The answer to an event may be lost with the suspension, and the event come again.
        #expect(handled.withLock { Set($0) } == [1, 2, 3, 4, 5])
    }

    @Test("whatever other threads do meanwhile, what was acknowledged is there, and no file stays open")
    func underLoad() throws {
        let store = try place.open { $0.bufferBytes = 64 << 10 }
        try store.record(received("first", at: 0))
        let (acknowledged, isOver, isOpen) = (Locked(Set(["first"])), Locked(false), Locked(true))
        let workers = DispatchGroup()
        for worker in 0..<3 {
            let thread = Thread {
                var number = 0
                while !isOver.withLock({ $0 }) {
                    number += 1
                    let id = "\(worker)-\(number)"
                    do {
                        try store.record(
                            received(ServerMessageID(id), at: Int64(number)),
                            acknowledgement: number.isMultiple(of: 3) ? .visible : .durable)
                        acknowledged.signal { _ = $0.insert(id) }
                        _ = try store.read { try $0.conversations() }
                        if number.isMultiple(of: 50) { _ = try store.verify() }
                        if number.isMultiple(of: 70) { try store.compact() }
                    } catch let error as StoreError where error.code == .suspended {
                        isOpen.waitUntil({ $0 }, then: { _ in })
                    } catch {
                        Issue.record("\(error)")
                        break
                    }
                }
                workers.leave()
            }
            workers.enter()
            thread.start()
        }
        for _ in 0..<40 {
            let count = acknowledged.withLock { $0.count }
            acknowledged.waitUntil({ $0.count > count + 3 }, then: { _ in })
            isOpen.withLock { $0 = false }
            try store.suspend()
            #expect(descriptors() == [])
            try store.resume()
            isOpen.signal { $0 = true }
        }
        isOver.withLock { $0 = true }
        workers.wait()
        let ids = try store.events(limit: .max).compactMap { ($0.event.payload as? MessageReceived)?.serverID.rawValue }
        #expect(ids.count == Set(ids).count)
        #expect(Set(ids).isSuperset(of: acknowledged.withLock { $0 }))
        #expect(try store.verify().isConsistent)
        try store.close()
    }

    @Test("a resumption that finds the store open elsewhere can be repeated, or waits")
    func openElsewhere() throws {
        let store = try place.open()
        try store.suspend()
        let other = try place.open()
        expectError(.alreadyOpen) { try store.resume() }
        expectError(.suspended) { _ = try store.texts() }
        DispatchQueue(label: "test").asyncAfter(deadline: .now() + .milliseconds(20)) { try? other.close() }
        try store.resume(waitingUpTo: .seconds(600))
        try store.record(received("a", at: 1))
        try store.close()
    }

    @Test("an opening waits for another one, and the error names who has the store open, and since when")
    func holder() throws {
        let before = Timestamp.now
        let store = try place.open()
        let error = try #require(storeError { try place.open() })
        #expect(error.code == .alreadyOpen)
        #expect(error.message.contains("process \(getpid()), since \(String(before.description.prefix(13)))"))
        DispatchQueue(label: "test").asyncAfter(deadline: .now() + .milliseconds(20)) { try? store.close() }
        let next = try MessageStore.open(
            place.path, account: TemporaryStore.account, configuration: place.configuration,
            waitingUpTo: .seconds(600))
        try next.close()
        // Whatever is in the file, opening works.
        for content in ["", "x", "1 2", "99999999999999 x y\n", String(repeating: "9", count: 1000)] {
            try content.write(toFile: place.path + "/writer.lock", atomically: false, encoding: .utf8)
            try place.open().close()
        }
    }

    @Test("what is handed over meanwhile is recorded afterwards")
    func inbox() async throws {
        let path = place.directory + "/inbox"
        let store = try place.open { $0.processes.inboxPath = path }
        let counts = Follower(store.observe { try $0.unreadTotals().messages })
        #expect(try await counts.next() == 0)
        try await store.suspend()
        try Inbox(at: path, account: TemporaryStore.account, key: TemporaryStore.key).handOver([received("a", at: 1)])
        try await store.resume()
        #expect(try await counts.next() == 1)
        try Inbox(at: path, account: TemporaryStore.account, key: TemporaryStore.key).handOver([received("b", at: 1)])
        #expect(try await counts.next() == 2)
        try await store.close()
    }

    @Test("a store that is open for reading only can be suspended, too")
    func readOnly() throws {
        try place.withStore { try $0.record(received("a", at: 1)) }
        let store = try place.openReadOnly()
        #expect(try store.texts() == ["a"])
        try store.suspend()
        #expect(descriptors() == [])
        try place.withStore { try $0.record(received("b", at: 2)) }
        try store.resume()
        #expect(try store.texts() == ["a", "b"])
        try store.close()
    }
}

/// Calls a closure with each event.
private struct Recorder: EventSubscriber {
    let name = "recorder"
    let handle: @Sendable (Position) -> Void

    init(_ handle: @escaping @Sendable (Position) -> Void) { self.handle = handle }

    func handle(_ event: RecordedEvent) async throws -> SubscriberAnswer {
        handle(event.position)
        return .handled
    }
}

/// A gate for each number.
private final class Gates: Sendable {
    private let gates = Locked<[Int: TestGate]>([:])

    private func gate(_ number: Int) -> TestGate {
        gates.withLock { gates in
            if let gate = gates[number] { return gate }
            let gate = TestGate()
            gates[number] = gate
            return gate
        }
    }

    func open(_ number: Int) { gate(number).open() }
    func wait(_ number: Int) async { await gate(number).wait() }
}
