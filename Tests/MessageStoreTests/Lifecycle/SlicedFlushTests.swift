import Foundation
import MessageStore
import MessageStoreTestKit
import Synchronization
import Testing

@Suite("I3, I6: a flush whose identities take several commits", .timeLimit(.minutes(30)))
struct SlicedFlushTests {
    /// Copies of a store as a kill before each commit of one flush would leave it.
    private final class Kills: Sendable {
        private let source = Mutex<String?>(nil)
        private let taken = Mutex<[TemporaryStore]>([])

        var copies: [TemporaryStore] { taken.withLock { $0 } }

        func start(_ path: String) { source.withLock { $0 = path } }
        func stop() { source.withLock { $0 = nil } }

        func copy() throws {
            guard let path = source.withLock({ $0 }) else { return }
            let copy = try TemporaryStore()
            try FileManager.default.copyItem(atPath: path, toPath: copy.path)
            taken.withLock { $0.append(copy) }
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

    @Test("killed before any of its commits, the store opens without a rebuild and with equal digests")
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
        try store.record(Self.events(0..<Self.count / 2, acknowledging: waiting))
        try store.flush()
        let checkpoint = try store.statistics().checkpointPosition
        // Some are queued and acknowledged within the layer.
        let others = try store.record((0..<40).map { queued("other \($0)") }).positions.compactMap { $0 }
        try store.record(others.map { sent(LocalMessageID($0.rawValue), ServerMessageID("other\($0)"), at: 9) })
        try store.record(Self.events(Self.count / 2..<Self.count, acknowledging: waiting))
        kills.start(place.path)
        try store.flush()
        kills.stop()
        let digests = try store.digests()
        #expect(try store.isConsistent())
        let last = try store.lastPosition()
        try store.close()
        try #require(kills.copies.count > 5, "the flush took \(kills.copies.count) commits")

        for (number, copy) in kills.copies.enumerated() {
            let reader = try copy.openReadOnly()
            #expect(try reader.digests() == digests, "killed before commit \(number)")
            try reader.close()
            let again = try copy.open { $0.viewFlushPages = 1 }
            #expect(try again.statistics().checkpointPosition == checkpoint, "killed before commit \(number)")
            #expect(try again.digests() == digests, "killed before commit \(number)")
            if number.isMultiple(of: 5) {
                let repeats = Self.events(0..<Self.count, acknowledging: [])
                try again.record(repeats.filter { $0.type == .messageReceived })
                #expect(try again.lastPosition().rawValue == last.rawValue + UInt64(Self.count / 10))
            }
            try again.flush()
            #expect(try again.isConsistent(), "killed before commit \(number)")
            try again.close()
            let reopened = try copy.openReadOnly()
            #expect(try reopened.isConsistent(), "killed before commit \(number)")
            try reopened.close()
        }
    }

    @Test("a commit that fails is tried again, and the digests stay equal", arguments: [0, 1, 7])
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
