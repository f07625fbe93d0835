import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("I10, I14: keys of the log that are lost by one flipped bit", .serialized, .timeLimit(.minutes(30)))
struct LostKeyTests {
    private static let conversations = (0..<10).map { ConversationKey.group("group-\($0)") }

    private static let events = (0..<1_000).map { index in
        received(
            ServerMessageID("message-\(index)"), at: Int64(index), in: conversations[index % conversations.count],
            text: "text \(index)")
    }

    private func filled() throws -> TemporaryStore {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            for start in stride(from: 0, to: Self.events.count, by: 500) {
                try store.record(Array(Self.events[start..<start + 500]))
            }
        }
        return place
    }

    /// What the store shows of each conversation; nil where it says that it is damaged.
    private func shown(_ store: MessageStore) throws -> [[String]?] {
        try Self.conversations.map { conversation in
            do {
                return try store.texts(of: conversation)
            } catch let error as StoreError where error.code == .recordDamaged || error.code == .logDamaged {
                return nil
            }
        }
    }

    /// The store, or nil where opening says that the log is damaged.
    private func opened(_ place: TemporaryStore) throws -> MessageStore? {
        do {
            return try place.open()
        } catch let error as StoreError where error.code == .recordDamaged || error.code == .logDamaged {
            return nil
        }
    }

    /// Damages the log in many ways, one after the other, and looks at each.
    ///
    /// - Returns: How many of them were seen.
    private func damage(
        _ tries: Int, _ seed: UInt64, _ flip: (inout DataFile, inout SplitMix64) -> Void
    ) throws -> Int {
        let place = try filled()
        let healthy = try place.withStore { try shown($0) }
        #expect(healthy.compactMap(\.self).joined().count == Self.events.count)
        let log = place.path + "/log/data.mdb"
        let original = try DataFile(log)
        var random = SplitMix64(seed: seed)
        var seen = 0
        for number in 0..<tries {
            var file = original
            flip(&file, &random)
            try file.write()
            guard let store = try opened(place) else {
                seen += 1
                continue
            }
            let last = try store.lastPosition()
            for (found, right) in zip(try shown(store), healthy) where found != nil {
                #expect(found == right, "damage \(number) hides messages")
            }
            for start in stride(from: 0, to: Self.events.count, by: 100) {
                do {
                    try store.record(Array(Self.events[start..<start + 100]))
                } catch let error as StoreError {
                    #expect(error.code == .recordDamaged || error.code == .logDamaged, "damage \(number): \(error)")
                }
            }
            #expect(try store.lastPosition() == last, "damage \(number): recorded again")
            do {
                #expect(try store.verify().isConsistent)
            } catch let error as StoreError {
                #expect(error.code == .recordDamaged || error.code == .logDamaged)
                seen += 1
            }
            try store.close()
        }
        return seen
    }

    @Test("a bit of a branch key of the records hides no message, makes none known twice, and `verify` sees it")
    func branchKeysOfRecords() throws {
        let seen = try damage(12, 1) { file, random in
            let branch = file.pages(of: "records").branches[0]
            let node = file.nodes(of: branch)[1 + random.nextIndex(file.nodes(of: branch).count - 1)]
            // The last two bytes tell positions of this log apart.
            file.flip(bit: random.nextIndex(8), at: node + 8 + 6 + random.nextIndex(2))
        }
        #expect(seen >= 10)
    }

    @Test("a bit of a leaf key of the records hides no message, makes none known twice, and `verify` sees it")
    func leafKeysOfRecords() throws {
        let seen = try damage(12, 2) { file, random in
            let leaves = file.pages(of: "records").leaves
            let nodes = file.nodes(of: leaves[random.nextIndex(leaves.count)])
            file.flip(bit: random.nextIndex(8), at: nodes[random.nextIndex(nodes.count)] + 8 + random.nextIndex(8))
        }
        #expect(seen == 12)
    }

    @Test("a bit of a name or number of a symbol makes no second conversation of it, and `verify` sees it")
    func symbols() throws {
        for table in ["symbolNumbers", "symbolNames"] {
            let seen = try damage(8, 3) { file, random in
                let nodes = file.pages(of: table).leaves.flatMap { file.nodes(of: $0) }
                let node = nodes[random.nextIndex(nodes.count)]
                let count = file.key(of: node).count + file.value(of: node).count
                file.flip(bit: random.nextIndex(8), at: node + 8 + random.nextIndex(count))
            }
            #expect(seen == 8)
        }
    }
}
