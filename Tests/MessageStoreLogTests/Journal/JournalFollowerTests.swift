import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("Following the journal") struct JournalFollowerTests {
    /// The positions and bytes of the events that a follower finds behind a position, up to the first that is missing.
    private static func found(_ follower: JournalFollower, after last: Position) throws -> [[UInt8]] {
        var end = last
        var found: [[UInt8]] = []
        for frame in try follower.frames() where frame.last > end {
            guard frame.first.rawValue <= end.rawValue + 1 else { break }
            for index in 0..<frame.events.batch.count {
                let position = Position(frame.first.rawValue + UInt64(index))
                if position > end { found.append(Array(frame.events.batch.bytes(at: index))) }
            }
            end = frame.last
        }
        return found
    }

    @Test(
        "I7: what is durable is in the journal or committed, whenever one looks and however files are used",
        arguments: 1...8)
    func follows(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        try JournalFixture.with { journal throws in
            let other = try JournalFixture.reopened(journal.crashed()).log
            let follower = JournalFollower(
                in: journal.directory + "/log", storeID: JournalFixture.storeID, symbols: other.symbols)
            var number = 0
            for _ in 0..<120 {
                let count = 1 + random.nextIndex(10)
                let size = [10, 300, 8_000][random.nextIndex(3)]
                try journal.record(
                    (0..<count).map {
                        Event(
                            ConversationDraftChanged(String(repeating: "x", count: size)),
                            in: .group("g\((number + $0) % 50)"))
                    })
                number += count
                if random.nextIndex(5) == 0 { try journal.log.commit() }
                if random.nextIndex(40) == 0 { try journal.log.redact([Position(1)]) }
                guard random.nextIndex(3) == 0 else { continue }
                // What is committed only grows: asked for after the journal, it is not less than then.
                let all = try JournalFixture.records(journal.fixture)
                let frames = try follower.frames()
                let committed = journal.log.committedPosition
                let expected = Array(all.dropFirst(Int(committed.rawValue)))
                #expect(try Self.found(follower, after: committed) == expected)
                // Names that are not committed are known.
                for symbol in frames.flatMap(\.events.symbols) where symbol.space == .conversation {
                    #expect(try other.symbols.conversation(symbol.number).symbolBytes == symbol.bytes)
                }
            }
            try journal.log.closeJournal()
            #expect(try follower.frames().isEmpty)
        }
    }

    @Test("frames of another store, and what is no frame, are not found")
    func foreign() throws {
        try JournalFixture.with { journal throws in
            try journal.record([Event(ConversationMuted(true), in: .group("g"))])
            let path = try journal.crashed()
            let symbols = journal.log.symbols
            let own = JournalFollower(in: path, storeID: JournalFixture.storeID, symbols: symbols)
            #expect(try own.frames().count == 1)
            #expect(try JournalFollower(in: path, storeID: Array(2...17), symbols: symbols).frames().isEmpty)
            try JournalFixture.damage(path, at: 70)
            #expect(try JournalFollower(in: path, storeID: JournalFixture.storeID, symbols: symbols).frames().isEmpty)
            try FileSystem.remove(path + "/journal-0")
            #expect(try own.frames().isEmpty)
        }
    }
}
