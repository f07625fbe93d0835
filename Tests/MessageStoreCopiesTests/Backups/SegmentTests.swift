import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("Segments of a backup", .timeLimit(.minutes(30)))
struct SegmentTests {
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    private func path(_ name: String) -> String { place.directory + "/" + name }

    private func open(_ path: String) throws -> MessageStore {
        try MessageStore.open(path, account: TemporaryStore.account, configuration: place.configuration)
    }

    private func message(_ number: Int) -> Event {
        received(
            ServerMessageID("m\(number)"), at: Int64(number), from: UserID("u\(number % 7)-\(number / 20)"),
            in: .group("g\(number / 10)"), text: SecretFiles.text(number))
    }

    /// Records twenty messages, the first at a position that is a multiple of twenty.
    private func record(_ part: Int, in store: MessageStore) throws {
        for number in 1...20 { try store.record(message(20 * part + number)) }
    }

    /// Backs up twenty messages, and twice twenty more as segments.
    private func fill(_ store: MessageStore) throws -> [String] {
        try record(0, in: store)
        try store.backup(to: path("backup"))
        for part in 1...2 {
            try record(part, in: store)
            #expect(
                try store.writeSegment(after: Position(UInt64(20 * part)), to: path("segment-\(part)"))
                    == Position(UInt64(20 * part + 20)))
        }
        return [path("segment-1"), path("segment-2")]
    }

    private func restore(_ segments: [String], to name: String = "new", _ ledger: ErasureLedger? = nil) throws {
        try MessageStore.restoreBackup(
            from: path("backup"), segments: segments, to: path(name), applying: ledger, key: TemporaryStore.key)
    }

    private func secrets(in file: String) throws -> Bool {
        try Data(contentsOf: URL(fileURLWithPath: file)).range(of: Data(SecretFiles.secret.utf8)) != nil
    }

    @Test("a backup and its segments make the same log, without what was erased since")
    func roundTrip() throws {
        let store = try place.open()
        let segments = try fill(store)
        for number in 1...60 where SecretFiles.isSecret(number) { try store.redact(Position(UInt64(number))) }
        #expect(try secrets(in: segments[0]) == (TemporaryStore.key == nil))
        try store.writeSegment(after: Position(30), to: path("later"))
        #expect(try !secrets(in: path("later")), "what was erased before is in no segment")

        for (name, segments) in [("new", segments), ("overlapping", [segments[0], path("later"), segments[1]])] {
            try restore(segments, to: name, try store.erasureLedger())
            #expect(try SecretFiles.count(in: path(name)) == 0)
            let copy = try open(path(name))
            #expect(try copy.events() == store.events() && copy.digests() == store.digests())
            #expect(try copy.isConsistent() && copy.record((1...60).map(message)).duplicates == 60)
            try copy.close()
            #expect(try MessageStore.check(path(name), configuration: .ofTests).isSound)
        }
        // Both go on. A segment of the copy continues what the store had recorded before, and nothing else.
        let copy = try open(path("new"))
        for (name, store) in [("copy-61", copy), ("store-61", store)] {
            try store.record(message(61))
            try store.writeSegment(after: Position(60), to: path(name))
        }
        try copy.record(message(62))
        try copy.writeSegment(after: Position(15), to: path("copy-16"))
        for (number, parts) in [segments + [path("copy-61"), path("copy-16")], [path("copy-16")]].enumerated() {
            try restore(parts, to: "from-copy-\(number)")
            let again = try open(path("from-copy-\(number)"))
            #expect(try again.digests() == copy.digests() && again.isConsistent())
            try again.close()
        }
        for other in ["copy-61", "copy-16"] {
            let parts = segments + [path("store-61"), path(other)]
            #expect(storeError { try restore(parts, to: "no") }?.code == .lineageMismatch)
        }
        try copy.close()
        try store.close()
    }

    @Test("I16: an event of a segment that erases does so in the restored store, without a ledger")
    func erasing() throws {
        let store = try place.open()
        try record(0, in: store)
        try store.backup(to: path("backup"))
        try store.record(Event(HistoryCleared(erases: true), in: .group("g0")))
        try store.record(Event(HistoryCleared(erases: true), in: .group("g1")))
        try store.record(Event(HistoryCleared(erases: true), in: .group("g2")))
        try store.writeSegment(after: Position(20), to: path("segment"))
        try restore([path("segment")])
        let copy = try open(path("new"))
        #expect(try copy.events() == store.events() && copy.digests() == store.digests())
        #expect(try copy.compact().isErasureComplete)
        try copy.close()
        #expect(try SecretFiles.count(in: path("new")) == 0)
        try store.close()
    }

    @Test("a ledger covers what events of a segment erased: what was only hidden later keeps its words")
    func hidden() throws {
        let store = try place.open()
        try record(0, in: store)
        try store.backup(to: path("backup"))
        let place = MessageOrder(time: ms(5), id: "m5")
        try store.record(Event(HistoryCleared(upTo: place, erases: true), in: .group("g0")))
        try store.record(Event(HistoryCleared(), in: .group("g0")))
        try store.writeSegment(after: Position(20), to: path("segment"))
        try restore([path("segment")], try store.erasureLedger())
        let copy = try open(path("new"))
        #expect(try copy.events() == store.events())
        #expect(try copy.events().filter(\.isRedacted).map(\.position.rawValue) == [1, 2, 3, 4, 5])
        try copy.close()
        try store.close()
    }

    @Test("many events, large ones and names that were not used for long are whole in a segment")
    func large() throws {
        let store = try place.open()
        try store.record((1...5000).map { received(ServerMessageID("m\($0)"), at: Int64($0)) })
        try store.backup(to: path("backup"))
        let text = String(repeating: "large ", count: 400_000)
        for number in 1...4 {
            try store.record(
                received(
                    ServerMessageID("l\(number)"), at: Int64(5000 + number), from: UserID("new\(number)"),
                    in: .group("new\(number)"), text: text))
        }
        try store.record(received("again", at: 6000))
        try store.writeSegment(after: Position(5000), to: path("segment"))
        try restore([path("segment")])
        let copy = try open(path("new"))
        #expect(try copy.digests() == store.digests() && copy.isConsistent())
        #expect(try copy.events(from: Position(5000)) == store.events(from: Position(5000)))
        try copy.close()
        try store.close()
    }

    @Test("a gap, another log, a file that is cut off, and any flipped byte are typed errors, and leave nothing")
    func refused() throws {
        let store = try place.open()
        let segments = try fill(store)
        func error(_ segments: [String]) -> StoreError? { storeError { try restore(segments) } }
        let missing = error([segments[1]])
        #expect(missing?.code == .segmentMissing && missing?.position == Position(21))
        #expect(error(segments.reversed())?.code == .segmentMissing)
        #expect(error([path("none")])?.code == .segmentMissing)
        for (position, name) in [(60, "empty"), (20, "segment-1"), (20, "no/segment")] {
            #expect(
                storeError { try store.writeSegment(after: Position(UInt64(position)), to: path(name)) }?.code
                    == .invalidArgument)
        }
        try store.close()

        // A store that was copied by other means and went another way has the same id.
        try FileManager.default.copyItem(atPath: path("backup"), toPath: path("other"))
        try FileManager.default.copyItem(atPath: path("backup"), toPath: path("another"))
        for name in ["other", "another"] {
            let other = try open(path(name))
            for number in 1...5 { try other.record(received(ServerMessageID("\(name)\(number)"), at: 900)) }
            try other.writeSegment(after: Position(20), to: path(name + "-1"))
            try other.record(received(ServerMessageID("\(name)"), at: 901, from: UserID(name)))
            try other.writeSegment(after: Position(25), to: path(name + "-2"))
            try other.close()
        }
        #expect(error([segments[0], path("other-2")])?.code == .lineageMismatch)
        #expect(error([path("other-1"), path("other-2")])?.code == nil)
        try FileManager.default.removeItem(atPath: path("new"))

        let bytes = try Data(contentsOf: URL(fileURLWithPath: segments[0]))
        let broken = path("broken")
        for number in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 60)) {
            var flipped = bytes
            flipped[number] ^= 4
            for (name, damaged) in [("flipped", flipped), ("cut off", bytes.prefix(number))] {
                try damaged.write(to: URL(fileURLWithPath: broken))
                #expect(error([broken, segments[1]])?.code == .segmentDamaged, "\(name) at \(number)")
            }
        }
        #expect(!FileManager.default.fileExists(atPath: path("new")))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: place.directory).allSatisfy { !$0.contains("creating") }
        )
    }

    @Test("I2: killed at any step, neither a segment nor a restored store is at its path")
    func killed() async throws {
        let segments = try place.withStore { try fill($0) }
        for step in 1...3 {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [directory = place.directory as String, segments = segments as [String], step = step as Int] in
                try SegmentTests.restore(in: directory, segments, killedAt: step)
            }
            #expect(!FileManager.default.fileExists(atPath: path("new")))
        }
        await #expect(processExitsWith: .signal(SIGKILL)) { [directory = place.directory as String] in
            try SegmentTests.writeHalf(in: directory)
        }
        #expect(!FileManager.default.fileExists(atPath: path("killed")))
        try restore(segments)
        try check()
    }

    private func check() throws { #expect(try open(path("new")).events().count == 60) }

    private static func writeHalf(in directory: String) throws {
        let store = try MessageStore.openReadOnly(directory + "/store", configuration: .ofTests)
        try store.writeSegment(after: Position(5), to: directory + "/killed") { _, _ in kill(getpid(), SIGKILL) }
    }

    private static func restore(in directory: String, _ segments: [String], killedAt last: Int) throws {
        var step = 0
        try MessageStore.restoreBackup(
            from: directory + "/backup", segments: segments, to: directory + "/new", key: TemporaryStore.key
        ) {
            _, _ in
            step += 1
            if step == last { kill(getpid(), SIGKILL) }
        }
    }
}
