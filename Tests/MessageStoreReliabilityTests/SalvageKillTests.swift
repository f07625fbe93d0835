#if os(Linux)
import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite(
    "Salvages that are killed", .serialized, .timeLimit(.minutes(60)),
    .enabled(if: FaultShim.path != nil, "no C compiler"))
struct SalvageKillTests {
    /// A store that lacks a page of records, in clear or sealed, next to the file of its key.
    private struct DamagedStore {
        static let secret = "Zq7secretQz7"
        static let account: UserID = "\(secret)-me"

        let isSealed: Bool
        let directory: TemporaryDirectory
        /// The events as they were before.
        let events: [RecordedEvent]

        init(isSealed: Bool) throws {
            self.isSealed = isSealed
            directory = try TemporaryDirectory()
            try Data(repeating: 1, count: 32).write(to: URL(fileURLWithPath: directory.path + "/key"))
            let store = try Self.open(directory.path + "/store", isSealed)
            for number in 1...200 {
                try store.record(
                    .received(
                        ServerMessageID("m\(number)"), from: "\(Self.secret)-bob",
                        in: .group("\(Self.secret)-g"), at: Timestamp(milliseconds: Int64(number)),
                        content: .text("\(Self.secret) \(number)")))
            }
            events = try store.events(limit: .max)
            try store.close()
            var log = try DataFile(directory.path + "/store/log/data.mdb")
            let leaves = log.pages(of: "records").leaves
            try #require(leaves.count > 3)
            log.zero(page: leaves[leaves.count / 2])
            try log.write()
        }

        static func open(_ path: String, _ isSealed: Bool) throws -> MessageStore {
            var configuration = MessageStore.Configuration()
            if isSealed { configuration.privacy.key = KeySource { [UInt8](repeating: 1, count: 32) } }
            return try MessageStore.open(path, account: account, configuration: configuration)
        }
    }

    /// Clear and sealed stores, as far as both are tried here.
    private static let forms = [false, true].filter { isSealed in
        isSealed ? TemporaryStore.canSeal : TemporaryStore.keyBytes == nil
    }

    @Test(
        "I10, I20: a salvage killed at any file call leaves the damaged store alone, and the next keeps the same",
        arguments: forms)
    func kills(isSealed: Bool) throws {
        let damaged = try DamagedStore(isSealed: isSealed)
        let before = Self.filesOfDamaged(in: damaged.directory)
        let whole = try damaged.directory.copy()
        let calls = try FaultShim.countCalls(under: whole.path) {
            try Self.salvage(whole, isSealed, $0).exit == 3
        }
        let kept = try Self.kept(whole, damaged, "whole")
        #expect(kept.count > 100 && kept.count < 200)
        let tries = FaultShim.some(Battery.tries(plain: 12, short: 50, long: 400), of: calls)
        for call in tries {
            let directory = try damaged.directory.copy()
            _ = try Self.salvage(
                directory, isSealed, FaultShim.environment(under: directory.path, .kill, at: call))
            let what: Comment = "killed at call \(call) of \(calls)"
            #expect(Self.filesOfDamaged(in: directory) == before, what)
            if isSealed { #expect(FileHunt.files(below: directory.path, having: DamagedStore.secret) == [], what) }
            if try !directory.names().contains("new") {
                let again = try Self.salvage(directory, isSealed)
                #expect(again.exit == 3, "\(what): \(again.errors)")
            }
            #expect(try Self.kept(directory, damaged, what) == kept, what)
            #expect(Self.filesOfDamaged(in: directory) == before, what)
            // A directory whose lock was not made yet stays for an hour.
            let left = try directory.names().filter { !["key", "new", "store"].contains($0) }
            #expect(left.allSatisfy { $0.contains(".creating-") }, "\(what): \(left)")
        }
        Battery.report("kills of a salvage", [("tries", tries.count), ("lost", 0)])
    }

    /// Salvages a store in a process of its own; it exits with 3, since events are lost.
    private static func salvage(
        _ directory: TemporaryDirectory, _ isSealed: Bool, _ environment: [String: String] = [:]
    ) throws -> Tool.End {
        let key = isSealed ? ["--key-file", directory.path + "/key"] : []
        return try Tool.run(["salvage", directory.path + "/store", directory.path + "/new"] + key, environment)
    }

    /// The files of the damaged store, but for the writer's lock.
    private static func filesOfDamaged(in directory: TemporaryDirectory) -> [String: Data] {
        let path = directory.path + "/store"
        let files = FileHunt.names(below: path).filter { $0 != "writer.lock" }.compactMap { name in
            FileManager.default.contents(atPath: path + "/" + name).map { (name, $0) }
        }
        return Dictionary(uniqueKeysWithValues: files)
    }

    /// The positions of the events that the new store has as they were recorded; the others are lost.
    private static func kept(
        _ directory: TemporaryDirectory, _ damaged: DamagedStore, _ what: Comment
    ) throws -> Set<Position> {
        let store = try DamagedStore.open(directory.path + "/new", damaged.isSealed)
        #expect(try store.verify().isConsistent, what)
        let kept = try store.events(limit: .max).filter { $0.event.type != .recordLost }
        let originals = Dictionary(uniqueKeysWithValues: damaged.events.map { ($0.position, $0) })
        for event in kept { #expect(event == originals[event.position], what) }
        try store.close()
        return Set(kept.map(\.position))
    }
}
#endif
