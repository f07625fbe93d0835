import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("Backup", .timeLimit(.minutes(30)))
struct BackupTests {
    private func openCopy(_ place: TemporaryStore, _ name: String = "copy") throws -> MessageStore {
        try MessageStore.open(
            place.directory + "/" + name, account: TemporaryStore.account, configuration: place.configuration)
    }

    @Test("I16: a backup is a store with the same answers and an id of its own, and holds no byte of what was redacted")
    func copy() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try SecretFiles.fill(store, 1...600)
        #expect(try (SecretFiles.count(in: place.path) > 0) == (TemporaryStore.key == nil))
        #expect(try store.backup(to: place.directory + "/copy") == Position(600))
        #expect(try SecretFiles.count(in: place.directory + "/copy") == 0)
        let copy = try openCopy(place)
        #expect(try copy.digests() == store.digests() && copy.events() == store.events())
        #expect(try copy.statistics().owedBytes == 0 && copy.isConsistent())
        #expect(try copy.record((1...600).map(SecretFiles.message)).duplicates == 600, "I4")
        #expect(
            try StoreIdentity.read(from: copy.path).id != StoreIdentity.read(from: store.path).id)
        #expect(try store.statistics().owedBytes > 0, "a backup changes nothing in the store")
        try copy.close()
        #expect(try MessageStore.check(copy.path, configuration: .ofTests).isSound)
        try store.close()
    }

    @Test("a backup of an empty store is an empty store")
    func empty() throws {
        let place = try TemporaryStore()
        #expect(try place.withStore { try $0.backup(to: place.directory + "/copy") } == .origin)
        let copy = try openCopy(place)
        #expect(try copy.events().isEmpty)
        try copy.record(received("a", at: 1))
        try copy.close()
    }

    @Test("what is recorded while the backup is written is whole, and what is redacted is redacted in it and owed")
    func meanwhile() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try SecretFiles.fill(store, 1...100)
        var steps = 0
        let last = try store.backup(to: place.directory + "/copy") { _, _ in
            steps += 1
            let number = 1000 + steps
            try store.record(
                received(
                    ServerMessageID("m\(number)"), at: Int64(number), from: UserID("u\(steps)"), in: .group("g\(steps)")
                ))
            try store.redact(Position(UInt64(2 * steps - 1)))
        }
        #expect(steps > 0 && last == Position(UInt64(100 + steps)))
        let copy = try openCopy(place)
        #expect(try copy.events() == store.events() && copy.digests() == store.digests())
        #expect(try copy.statistics().owedBytes > 0, "the copy may hold what was redacted since it began")
        #expect(try copy.compact().isErasureComplete && copy.statistics().owedBytes == 0)
        try copy.close()
        try store.close()
    }

    @Test("I17: a process that may only read backs up what is durable, in the log or in its journal")
    func otherProcess() async throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.durability.level = .full }
        let events = try Self.fill(store)
        await #expect(processExitsWith: .success) {
            [path = place.path as String, copy = place.directory + "/copy" as String] in
            try BackupTests.backUp(path, to: copy)
        }
        try Self.check(openCopy(place), has: events)
        try await store.close()
    }

    private static func fill(_ store: MessageStore) throws -> [RecordedEvent] {
        try SecretFiles.fill(store, 1...60)
        try store.record(received("journal", at: 100, from: "new", in: .group("new")))
        return try store.events()
    }

    private static func check(_ store: MessageStore, has events: [RecordedEvent]) throws {
        #expect(try store.events() == events && store.isConsistent())
        try store.close()
    }

    private static func backUp(_ path: String, to copy: String) throws {
        let reader = try MessageStore.openReadOnly(path, configuration: .ofTests)
        #expect(try reader.backup(to: copy) == Position(61))
        try reader.close()
    }

    @Test("I2: killed while it is written, a backup leaves nothing at its path")
    func killed() async throws {
        let place = try TemporaryStore()
        try place.withStore { try SecretFiles.fill($0, 1...60) }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = place.path as String, copy = place.directory + "/copy" as String] in
            try BackupTests.backUpHalf(path, to: copy)
        }
        #expect(!FileManager.default.fileExists(atPath: place.directory + "/copy"))
    }

    private static func backUpHalf(_ path: String, to copy: String) throws {
        let reader = try MessageStore.openReadOnly(path, configuration: .ofTests)
        try reader.backup(to: copy) { _, _ in kill(getpid(), SIGKILL) }
    }

    @Test("a backup that is ended or cancelled leaves nothing")
    func ended() async throws {
        struct Ended: Error {}
        let place = try TemporaryStore()
        let (store, copy) = (try place.open(), place.directory + "/copy")
        _ = try Self.fill(store)
        let end: MessageStore.ReplayProgress = { _, _ in throw Ended() }
        #expect(throws: Ended.self) { try store.backup(to: copy, progress: end) }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.backup(to: copy)
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory) == ["store"])
        try await store.close()
    }

    @Test("a backup onto something that exists, or into nothing, is refused and changes nothing")
    func refused() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try store.record(received("a", at: 1))
        for path in [place.path, place.directory, place.path + "/log/data.mdb", place.directory + "/no/copy", ""] {
            #expect(storeError { try store.backup(to: path) }?.code == .invalidArgument, "\(path)")
        }
        #expect(try store.events().count == 1 && SecretFiles.otherNames(in: place.path) == [])
        try store.close()
        #expect(storeError { try store.backup(to: place.directory + "/copy") }?.code == .closed)
    }
}
