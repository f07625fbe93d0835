import Dispatch
import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("D6, I2, I6: a stream of packages", .timeLimit(.minutes(30)))
struct PackageStreamTests {
    /// Packages 1, 2 and so on: as many messages as their index says, and a closing event each.
    private static func package(_ index: UInt32) -> OfflinePackage {
        let events = (0..<index).map { received("\(index)-\($0)", at: Int64(index * 100 + $0), origin: .offline) }
        return OfflinePackage(index: index, events: events, hasMore: true)
    }

    /// The last position of a package, where those before it stand in front.
    private static func end(of index: UInt32) -> Position { Position((1...UInt64(index)).reduce(0) { $0 + $1 + 1 }) }

    /// A package that is asked for, one by one.
    private static func packages(
        _ indices: ClosedRange<UInt32>, asked: @escaping @Sendable (_ index: UInt32) throws -> Void = { _ in }
    ) -> AsyncThrowingStream<OfflinePackage, any Error> {
        let next = Locked(indices.lowerBound)
        return AsyncThrowingStream {
            let index = next.withLock { next in
                defer { next += 1 }
                return next
            }
            try asked(index)
            return index <= indices.upperBound ? package(index) : nil
        }
    }

    private static func noTimer(_ configuration: inout MessageStore.Configuration) {
        configuration.durability.groupCommit.delay = .seconds(3600)
    }

    private struct Failure: Error {}

    @Test(
        "D7, I2: each package of a stream is acknowledged in its order, once it is durable, with the positions of its events"
    )
    func acknowledged() async throws {
        let place = try TemporaryStore()
        let store = try place.open(Self.noTimer)
        let seen = Locked([UInt32]())
        try await store.ingest(Self.packages(1...40)) { package, result in
            seen.withLock { $0.append(package.index) }
            let end = Self.end(of: package.index)
            #expect(result.lastPosition == end)
            #expect(result.positions.last == Position(end.rawValue - 1))
            #expect(result.positions.count == Int(package.index))
            let durable = try store.lastDurablePosition()
            #expect(durable >= end)
        }
        #expect(seen.withLock { $0 } == Array(1...40))
        #expect(try store.lastPosition() == Self.end(of: 40))
        #expect(try await store.read { views throws in try views.syncProgress() }.packages == 40)
        #expect(try await store.verify().isConsistent)
        try await store.close()
    }

    @Test("packages are prepared while others are made durable, and share the next flush")
    func shared() async throws {
        let place = try TemporaryStore()
        let (hasPrepared, flushes) = (DispatchSemaphore(value: 0), Locked(0))
        let store = try place.open { configuration in
            Self.noTimer(&configuration)
            // The first flush lasts until the package behind the twentieth is asked for.
            configuration.commitFault = {
                guard
                    flushes.withLock({ count in
                        count += 1; return count == 1
                    })
                else { return }
                guard hasPrepared.wait(timeout: .now() + 600) == .success else { throw Failure() }
            }
        }
        let seen = Locked([UInt32]())
        try await store.ingest(Self.packages(1...20) { if $0 == 21 { hasPrepared.signal() } }) { package, _ in
            seen.withLock { $0.append(package.index) }
        }
        #expect(seen.withLock { $0 } == Array(1...20))
        #expect(flushes.withLock { $0 } <= 2)
        try await store.close()
    }

    @Test(
        "a package that cannot be recorded, and a sequence that fails, end it; those before are acknowledged",
        arguments: [true, false])
    func ended(bySequence: Bool) async throws {
        let place = try TemporaryStore()
        let store = try place.open(Self.noTimer)
        let packages = AsyncThrowingStream<OfflinePackage, any Error> { continuation in
            for index in 1...5 as ClosedRange<UInt32> { continuation.yield(Self.package(index)) }
            if bySequence { return continuation.finish(throwing: Failure()) }
            var invalid = Self.package(6)
            invalid.events[3] = received("", at: 1, origin: .offline)
            continuation.yield(invalid)
            continuation.yield(Self.package(7))
            continuation.finish()
        }
        let seen = Locked([UInt32]())
        do {
            try await store.ingest(packages) { package, _ in seen.withLock { $0.append(package.index) } }
            Issue.record("nothing was thrown")
        } catch {
            if bySequence {
                #expect(error is Failure)
            } else {
                #expect((error as? StoreError)?.code == .invalidArgument)
            }
        }
        #expect(seen.withLock { $0 } == Array(1...5))
        #expect(try store.lastPosition() == Self.end(of: 5))
        #expect(try store.lastDurablePosition() == Self.end(of: 5))
        // It goes on where it ended.
        try await store.ingest(Self.packages(5...8)) { _, _ in }
        #expect(try store.unread().messages == (1...8).reduce(0, +))
        try await store.close()
    }

    @Test("a flush that fails ends it; what was not acknowledged is recognised when it comes again")
    func failedFlush() async throws {
        let place = try TemporaryStore()
        let faults = CommitFaults()
        let store = try place.open { configuration in
            Self.noTimer(&configuration)
            faults.install(in: &configuration)
        }
        faults.fail(next: .max)
        let (asked, seen) = (Locked(UInt32(0)), Locked([UInt32]()))
        do {
            try await store.ingest(Self.packages(1...1000) { index in asked.withLock { $0 = index } }) { package, _ in
                seen.withLock { $0.append(package.index) }
            }
            Issue.record("nothing was thrown")
        } catch { #expect((error as? StoreError)?.code == .diskFull) }
        #expect(seen.withLock { $0 }.isEmpty)
        #expect(asked.withLock { $0 } < 1000)
        #expect(try store.lastDurablePosition() == .origin)
        faults.fail(next: 0)
        try await store.ingest(Self.packages(1...70)) { package, _ in seen.withLock { $0.append(package.index) } }
        #expect(seen.withLock { $0 } == Array(1...70))
        #expect(try store.unread().messages == (1...70).reduce(0, +))
        #expect(try store.lastDurablePosition() == store.lastPosition())
        try await store.close()
    }

    @Test("what the acknowledgement throws ends it, and no package is acknowledged twice or past it")
    func failedAcknowledgement() async throws {
        let place = try TemporaryStore()
        let store = try place.open(Self.noTimer)
        let seen = Locked([UInt32]())
        await #expect(throws: Failure.self) {
            try await store.ingest(Self.packages(1...1000)) { package, _ in
                seen.withLock { $0.append(package.index) }
                if package.index == 3 { throw Failure() }
            }
        }
        #expect(seen.withLock { $0 } == [1, 2, 3])
        #expect(try store.lastPosition() < Self.end(of: 1000))
        try await store.close()
    }

    @Test("while an acknowledgement takes its time, only so many packages are taken from the sequence")
    func backPressure() async throws {
        let place = try TemporaryStore()
        let store = try place.open { configuration in
            Self.noTimer(&configuration)
            configuration.durability.groupCommit.batches = 4
        }
        let (counts, gate) = (Locked((acknowledged: 0, lead: 0)), TestGate())
        let packages = Self.packages(1...50) { index in
            counts.withLock { $0.lead = max($0.lead, Int(index) - $0.acknowledged) }
        }
        let sync = Task {
            try await store.ingest(packages) { _, _ in
                await gate.wait()
                counts.withLock { $0.acknowledged += 1 }
            }
        }
        try await store.wait { try store.lastPosition() >= Self.end(of: 4) }
        gate.open()
        try await sync.value
        // Up to four wait for their acknowledgement with the first, and up to four more behind them.
        let lead = counts.withLock { $0.lead }
        #expect((4...8).contains(lead))
        #expect(try store.lastPosition() == Self.end(of: 50))
        try await store.close()
    }

    @Test("a sequence that always has a package lets other calls that record in")
    func others() async throws {
        let place = try TemporaryStore()
        let store = try place.open(Self.noTimer)
        let (next, isRecorded) = (Locked(UInt32(0)), Locked(false))
        // The other call has a thread of its own: a task would wait until the tests of other suites free one.
        let queue = DispatchQueue(label: "another caller")
        let end = ContinuousClock.now + .seconds(300)
        let packages = AsyncThrowingStream<OfflinePackage, any Error> {
            let index = next.withLock { next in
                next += 1
                return next
            }
            if index == 3 {
                queue.async {
                    guard (try? store.record(received("between", at: 1)).position) != nil else { return }
                    isRecorded.withLock { $0 = true }
                }
            }
            guard ContinuousClock.now < end, !isRecorded.withLock({ $0 }) else { return nil }
            return OfflinePackage(index: index, events: [], hasMore: true)
        }
        try await store.ingest(packages) { _, _ in }
        #expect(isRecorded.withLock { $0 })
        try await store.close()
    }

    @Test("a task that is cancelled ends it, also where the sequence just ends")
    func cancelled() async throws {
        let place = try TemporaryStore()
        let store = try place.open(Self.noTimer)
        let (packages, next) = AsyncStream.makeStream(of: OfflinePackage.self)
        let (acknowledged, tell) = AsyncStream.makeStream(of: UInt32.self)
        let sync = Task { try await store.ingest(packages) { package, _ in tell.yield(package.index) } }
        next.yield(Self.package(1))
        var acknowledgements = acknowledged.makeAsyncIterator()
        #expect(await acknowledgements.next() == 1)
        sync.cancel()
        await #expect(throws: CancellationError.self) { try await sync.value }
        #expect(try store.lastPosition() == Self.end(of: 1))
        try await store.close()
    }

    @Test("a sequence of an actor's own is read on that actor")
    func isolated() async throws {
        let place = try TemporaryStore()
        let store = try place.open(Self.noTimer)
        #expect(try await Receiver().sync(into: store) == 3)
        try await store.close()
    }

    private actor Receiver {
        /// Not sendable: it may only be used on its actor.
        private final class Inbox: AsyncSequence, AsyncIteratorProtocol {
            var waiting = (1...3 as ClosedRange<UInt32>).map(PackageStreamTests.package)
            func makeAsyncIterator() -> Inbox { self }
            func next() async -> OfflinePackage? { await next(isolation: nil) }
            func next(isolation: isolated (any Actor)?) async -> OfflinePackage? {
                waiting.isEmpty ? nil : waiting.removeFirst()
            }
        }

        private let inbox = Inbox()
        private var confirmed = 0

        func sync(into store: MessageStore) async throws -> Int {
            try await store.ingest(inbox) { _, _ in await self.confirm() }
            return confirmed
        }

        private func confirm() { confirmed += 1 }
    }
}
