import Foundation
import MessageStore
import Synchronization
import Testing
@testable import MessageStoreTestSupport

@Suite("I3, I6: flushes whose identities come to their table by way of runs", .timeLimit(.minutes(30)))
struct SlicedFlushTests {
    /// Copies of a store as a kill before each commit of some flushes would leave it.
    private final class Kills: Sendable {
        private let source = Mutex<(path: String, flush: Int)?>(nil)
        private let taken = Mutex<[(store: TemporaryStore, flush: Int)]>([])

        var copies: [(store: TemporaryStore, flush: Int)] { taken.withLock { $0 } }

        func start(_ path: String, flush: Int) { source.withLock { $0 = (path, flush) } }
        func stop() { source.withLock { $0 = nil } }

        func copy() throws {
            guard let source = source.withLock({ $0 }) else { return }
            let copy = try TemporaryStore()
            try FileManager.default.copyItem(atPath: source.path, toPath: copy.path)
            taken.withLock { $0.append((copy, source.flush)) }
        }
    }

    /// Messages of others, and every tenth time the acknowledgement of one that was queued before all of them.
    private static func events(_ range: Range<Int>, acknowledging queued: [LocalMessageID]) -> [Event] {
        range.map { number in
            if number.isMultiple(of: 10), queued.indices.contains(number / 10) {
                return sent(queued[number / 10], ServerMessageID("ack\(number)"), at: Int64(number))
            }
            return received(ServerMessageID("m\(number)"), at: Int64(number), token: "t\(number)")
        }
    }

    private static let count = 1000
    private static let flushes = 20

    @Test("killed before any of their commits, the store opens without a rebuild and knows every message")
    func kills() throws {
        let kills = Kills()
        let place = try TemporaryStore()
        try place.open().close()
        let store = try place.open {
            $0.viewFlushPages = 1
            $0.viewCommitFault = { try kills.copy() }
        }
        let sending = try store.record((0..<Self.count / 10).map { queued("queued \($0)") })
        let waiting = sending.positions.compactMap { $0.map { LocalMessageID($0.rawValue) } }
        var checkpoints: [Position] = []
        // The hand goes round once and comes back to where it was.
        for flush in 0..<Self.flushes {
            let part = Self.count / Self.flushes
            try store.record(Self.events(flush * part..<(flush + 1) * part, acknowledging: waiting))
            // Some are queued and acknowledged within the layer.
            let others = try store.record((0..<4).map { queued("other \(flush) \($0)") }).positions.compactMap { $0 }
            try store.record(others.map { sent(LocalMessageID($0.rawValue), ServerMessageID("other\($0)"), at: 9) })
            checkpoints.append(try store.statistics().checkpointPosition)
            if flush > Self.flushes / 2 { kills.start(place.path, flush: flush) }
            try store.flush()
            kills.stop()
        }
        checkpoints.append(try store.statistics().checkpointPosition)
        #expect(try store.isConsistent())
        try store.close()
        try #require(kills.copies.count > Self.flushes / 2, "there were \(kills.copies.count) commits")

        for number in stride(from: 0, to: kills.copies.count, by: TestSize.of(plain: 4, full: 1)) {
            let (copy, flush) = kills.copies[number]
            let reader = try copy.openReadOnly()
            let digests = try reader.digests()
            #expect(try reader.isConsistent(), "killed before commit \(number)")
            try reader.close()
            let again = try copy.open { $0.viewFlushPages = 1 }
            let checkpoint = try again.statistics().checkpointPosition
            #expect(checkpoints[flush...flush + 1].contains(checkpoint), "killed before commit \(number)")
            #expect(try again.digests() == digests, "killed before commit \(number)")
            let last = try again.lastPosition()
            let known = Self.events(0..<(flush + 1) * Self.count / Self.flushes, acknowledging: waiting)
            try again.record(known.filter { $0.type == .messageReceived })
            #expect(try again.lastPosition() == last, "killed before commit \(number)")
            try again.record(Self.events(Self.count..<Self.count + 20, acknowledging: []))
            try again.flush()
            #expect(try again.isConsistent(), "killed before commit \(number)")
            try again.close()
            let reopened = try copy.openReadOnly()
            #expect(try reopened.isConsistent(), "killed before commit \(number)")
            try reopened.close()
        }
    }

    @Test("a commit that fails is tried again, and the digests stay equal", arguments: [0, 1])
    func failures(failing: Int) throws {
        let commits = Mutex<Int?>(nil)
        let place = try TemporaryStore()
        try place.open().close()
        let store = try place.open {
            $0.viewFlushPages = 1
            $0.viewCommitFault = {
                let fails = commits.withLock { left in
                    guard let count = left else { return false }
                    left = count - 1
                    return count == 0
                }
                if fails { throw CocoaError(.fileWriteOutOfSpace) }
            }
        }
        try store.record(Self.events(0..<Self.count / 2, acknowledging: []))
        try store.flush()
        try store.record(Self.events(Self.count / 2..<Self.count, acknowledging: []))
        let digests = try store.digests()
        commits.withLock { $0 = failing }
        #expect(throws: (any Error).self) { try store.flush() }
        #expect(try store.digests() == digests)
        try store.flush()
        #expect(try store.digests() == digests)
        #expect(try store.isConsistent())
        try store.close()
    }
}
