import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreLog
@testable import MessageStoreTestSupport

@Suite("I16: compaction", .timeLimit(.minutes(30)))
struct CompactionTests {
    private static let numbers = 1...600

    @Test("I16: no file holds a byte of what was redacted before, and every answer stays", arguments: [false, true])
    func hunt(isReopened: Bool) throws {
        let place = try TemporaryStore()
        var store = try place.open()
        try SecretFiles.fill(store, Self.numbers)
        if isReopened {
            try store.close()
            store = try place.open()
        }
        let (digests, events) = (try store.digests(), try store.events())
        #expect(
            try (SecretFiles.count(in: place.path) > 0) == (TemporaryStore.key == nil),
            "without a compaction the bytes are still there")
        #expect(try store.statistics().owedBytes > 0)

        let report = try store.compact()
        #expect(report.isErasureComplete && report.bytesAfter < report.bytesBefore)
        #expect(try SecretFiles.count(in: place.path) == 0)
        #expect(try SecretFiles.otherNames(in: place.path) == [])
        #expect(try store.statistics().owedBytes == 0 && store.statistics().owedSince == nil)
        for _ in 1...2 {
            #expect(try store.digests() == digests)
            #expect(try store.events() == events)
            #expect(try store.isConsistent())
            #expect(try store.record(Self.numbers.map(SecretFiles.message)).duplicates == Self.numbers.count, "I4")
            try store.close()
            #expect(try MessageStore.check(place.path, configuration: .ofTests).isSound)
            store = try place.open()
        }
        try store.record(received("new", at: 10_000))
        #expect(try store.events().count == events.count + 1 && store.isConsistent())
        try store.close()
    }

    @Test("what is recorded, named and redacted while the files are copied is in the new ones")
    func meanwhile() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try SecretFiles.fill(store, 1...100)
        var steps = 0
        var copied: [Position] = []
        try store.compact { reached, _ in
            steps += 1
            let number = 1000 + steps
            try store.record(
                received(
                    ServerMessageID("m\(number)"), at: Int64(number), from: UserID("u\(steps)"), in: .group("g\(steps)")
                ))
            if reached > .origin, copied.count < 3 {
                copied.append(Position(UInt64(2 * copied.count + 1)))
                try store.redact(copied[copied.count - 1])
            }
        }
        #expect(!copied.isEmpty)
        let redacted = Set((1...100).filter(SecretFiles.isSecret).map { Position(UInt64($0)) } + copied)
        #expect(try Set(store.events().filter(\.isRedacted).map(\.position)) == redacted)
        #expect(try store.events().count == 100 + steps && store.isConsistent())
        #expect(try store.list().count == steps + 1)
        #expect(try store.statistics().owedBytes > 0, "the copy may hold what was redacted since it began")
        #expect(try store.compact().isErasureComplete)
        #expect(try store.statistics().owedBytes == 0)
        try store.close()
        #expect(try place.withStore { try $0.events().count } == 100 + steps)
    }

    @Test("one that is ended leaves everything as it was")
    func ended() throws {
        struct Ended: Error {}
        let place = try TemporaryStore()
        let store = try place.open()
        try SecretFiles.fill(store, 1...60)
        let (digests, owed) = (try store.digests(), try store.statistics().owedBytes)
        #expect(throws: Ended.self) { try store.compact { _, _ in throw Ended() } }
        #expect(try store.digests() == digests && store.statistics().owedBytes == owed)
        #expect(try SecretFiles.otherNames(in: place.path) == [])
        try store.record(received("after", at: 99))
        #expect(try store.isConsistent())
        #expect(try store.compact().isErasureComplete)
        try store.close()
    }

    @Test("neither a compaction nor a backup runs inside another one; what records inside does")
    func nested() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try SecretFiles.fill(store, 1...60)
        try store.compact { _, _ in
            #expect(storeError { try store.compact() }?.code == .nestedAccess)
            #expect(storeError { try store.backup(to: place.directory + "/copy") }?.code == .nestedAccess)
            try store.record(received("inside", at: 99))
            try store.flush()
        }
        #expect(try store.events().count == 61)
        try store.close()
    }

    @Test("a read that began before ends with the old files, which go when it has ended")
    func reads() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try SecretFiles.fill(store, 1...60)
        let session = try store.replaySession()
        #expect(try session.read(at: Position(30)) { $0.position } == Position(30))
        let (hasBegun, mayEnd, hasEnded) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        Thread.detachNewThread {
            let position = try? store.read { views in
                hasBegun.signal()
                mayEnd.wait()
                return try views.unread(of: group).messages == 60 ? views.position : nil
            }
            #expect(position == Position(60))
            hasEnded.signal()
        }
        hasBegun.wait()
        #expect(try store.compact().isErasureComplete == false, "the read has the old files open")
        try store.record(received("new", at: 100))
        #expect(try store.message("new") != nil)
        mayEnd.signal()
        hasEnded.wait()
        #expect(try session.read(at: Position(31)) { $0.position } == Position(31))
        #expect(try store.compact().isErasureComplete)
        #expect(try SecretFiles.count(in: place.path) == 0)
        try store.close()
    }

    @Test("I17: a reader in another process goes on with the new files, and sees what is durable")
    func otherProcess() async throws {
        let place = try TemporaryStore()
        let (path, ready, done) = (place.path, place.directory + "/ready", place.directory + "/done")
        let writer = Task.detached { try Self.write(place, ready, done) }
        await #expect(processExitsWith: .success) {
            [path = path as String, ready = ready as String, done = done as String] in
            try CompactionTests.read(path, ready, done)
        }
        try await writer.value
        #expect(try SecretFiles.count(in: path) == 0)
    }

    static func wait(for path: String) {
        while !FileManager.default.fileExists(atPath: path) { FileSystem.pause(milliseconds: 5) }
    }

    private static func write(_ place: TemporaryStore, _ ready: String, _ done: String) throws {
        let store = try place.open { $0.durability.level = .full }
        try SecretFiles.fill(store, 1...60)
        #expect(FileManager.default.createFile(atPath: ready, contents: nil))
        wait(for: ready + ".reader")
        #expect(try store.compact().isErasureComplete == false, "the reader has the old files open")
        #expect(try store.statistics().owedBytes > 0)
        try store.record(SecretFiles.message(61), SecretFiles.message(63))
        #expect(FileManager.default.createFile(atPath: done, contents: nil))
        wait(for: done + ".reader")
        #expect(try store.compact().isErasureComplete)
        try store.close()
    }

    private static func read(_ path: String, _ ready: String, _ done: String) throws {
        wait(for: ready)
        let reader = try MessageStore.openReadOnly(path, configuration: .ofTests)
        #expect(try reader.unread().messages == 60)
        #expect(FileManager.default.createFile(atPath: ready + ".reader", contents: nil))
        wait(for: done)
        #expect(try reader.unread().messages == 62)
        #expect(try reader.message("m63") != nil && reader.events().count == 62)
        try reader.close()
        #expect(FileManager.default.createFile(atPath: done + ".reader", contents: nil))
    }

    @Test("I2, I16: killed before any of its commits, it leaves the old files or the new ones")
    func killed() async throws {
        let place = try TemporaryStore()
        let digests = try place.withStore { store in
            try SecretFiles.fill(store, 1...60)
            return try store.digests()
        }
        var wasComplete = false
        for commit in 1...150 where !wasComplete {
            let copy = place.directory + "/copy-\(commit)"
            try FileManager.default.copyItem(atPath: place.path, toPath: copy)
            let result = await #expect(processExitsWith: .failure) { [copy = copy as String, commit = commit as Int] in
                try CompactionTests.compact(copy, killedBefore: commit)
            }
            wasComplete = result?.exitStatus == .exitCode(7)
            try Self.check(copy, place.configuration, digests, isCompact: wasComplete)
            try FileManager.default.removeItem(atPath: copy)
        }
        #expect(wasComplete, "it was let through to its end")
    }

    static func compact(_ path: String, killedBefore commit: Int) throws {
        var configuration = MessageStore.Configuration.ofTests
        let commits = Locked(Int.min)
        let fault: @Sendable () -> Void = {
            let isLast = commits.withLock { commits in
                commits += 1
                return commits == commit
            }
            if isLast { kill(getpid(), SIGKILL) }
        }
        (configuration.commitFault, configuration.viewCommitFault) = (fault, fault)
        let store = try MessageStore.open(path, account: TemporaryStore.account, configuration: configuration)
        commits.withLock { $0 = 0 }
        try store.compact()
        exit(7)
    }

    private static func check(
        _ path: String, _ configuration: MessageStore.Configuration, _ digests: [ProjectionID: UInt64], isCompact: Bool
    ) throws {
        let store = try MessageStore.open(path, account: TemporaryStore.account, configuration: configuration)
        #expect(try store.digests() == digests)
        #expect(try store.isConsistent() && store.events().count == 60)
        #expect(try SecretFiles.otherNames(in: path) == [])
        if !isCompact { try store.compact() }
        try store.close()
        #expect(try SecretFiles.count(in: path) == 0)
    }

    @Test("killed between the two renames of a file system that cannot exchange names, the old log comes back")
    func betweenRenames() throws {
        let place = try TemporaryStore()
        try place.withStore { try SecretFiles.fill($0, 1...10) }
        let (log, files) = (place.path + "/log", FileManager.default)
        try files.copyItem(atPath: log, toPath: log + ".compacting-1")
        try files.moveItem(atPath: log, toPath: log + ".retired-2")
        expectError(.logDamaged) { _ = try place.openReadOnly() }
        #expect(try place.withStore { try $0.events().count } == 10)
        #expect(try SecretFiles.otherNames(in: place.path) == [])
    }

    @Test(
        "after a day redacted bytes leave the files by themselves, when nothing is recorded"
    )
    func automatic() async throws {
        let (clock, wall, place) = (ManualClock(), Locked(Int64(0)), try TemporaryStore())
        let store = try place.open { configuration in
            configuration.clock = clock
            configuration.idleFlushDelay = .seconds(2)
            configuration.now = { Timestamp(milliseconds: wall.withLock { $0 }) }
        }
        try Self.fill(store)
        for second in [2, 4, 6] {
            await clock.waitForSleeper(until: .seconds(second))
            clock.advance(by: .seconds(2))
            try await store.record([received(ServerMessageID("\(second)"), at: 1)])
        }
        await #expect(try store.statistics().owedBytes > 0, "a day is not over")
        wall.withLock { $0 = 86_400_000 }
        while try await store.statistics().owedBytes > 0 {
            clock.advance(by: .seconds(2))
            await MessageStore.letOthersRun()
        }
        #expect(try SecretFiles.count(in: place.path) == 0)
        try await store.close()
    }

    private static func fill(_ store: MessageStore) throws { try SecretFiles.fill(store, 1...60) }

    @Test(
        "a store compacts itself for too old or too many bytes",
        arguments: [
            (nil, 100, false), (Duration.zero, 0, true), (.seconds(10), 9_999, false), (.seconds(10), 10_000, true),
        ] as [(Duration?, Int64, Bool)])
    func policy(age: Duration?, now: Int64, isDue: Bool) {
        var policy = MessageStore.AutomaticCompaction()
        policy.erasedBytesAge = age
        let owed = [OwedErasure(byteCount: 1, since: .init(milliseconds: 0))]
        #expect(policy.isDue(owed, now: Timestamp(milliseconds: now)) == isDue)
        #expect(!policy.isDue([], now: Timestamp(milliseconds: now)))
    }
}
