#if os(macOS) || os(Linux)
import Foundation
import MessageStore
import Testing

@Suite("Readers that died", .serialized, .timeLimit(.minutes(30)))
struct DeadReaderTests {
    @Test("files stop growing though a process was killed while it read")
    func growth() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        let store = try MessageStore.open(path, account: "me", configuration: .ofTests)
        defer { try? store.close() }
        try Self.overwrite(store, round: 0)
        let reader = try ChildProcess(["hold", path, "2"])
        #expect(try reader.acknowledgements(2) == [1, 1])
        let live = try store.statistics().environments.map(\.oldestReaderLag)
        try reader.kill()

        var sizes: [Int] = []
        for round in 1...40 {
            try Self.overwrite(store, round: round)
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "/views/data.mdb")
            sizes.append(try #require(attributes[.size] as? Int))
        }
        #expect(sizes[39] == sizes[9], "\(sizes), \(live)")
        Battery.report("rounds after a reader died", [("rounds", 40), ("bytes", sizes[39] - sizes[0])])
    }

    /// Changes the same rows.
    private static func overwrite(_ store: MessageStore, round: Int) throws {
        try store.record(
            (0..<200).map { number in
                Event(ConversationDraftChanged("draft \(round)"), in: .group("g\(number)"))
            })
        try store.flush()
    }
}
#endif
