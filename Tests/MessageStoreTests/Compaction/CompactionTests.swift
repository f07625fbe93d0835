import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore

@Suite("I16: compaction", .timeLimit(.minutes(30)))
struct CompactionTests {
    private static let numbers = 1...600

    @Test("I16: no file holds a byte of what was redacted before, and every answer stays", arguments: [false, true])
    func hunt(isReopened: Bool) throws {
        let place = try TemporaryStore()
        var store = try place.open()
        try MarkedFiles.fill(store, Self.numbers)
        if isReopened {
            try store.close()
            store = try place.open()
        }
        let (digests, events) = (try store.digests(), try store.events())
        #expect(try MarkedFiles.count(in: place.path) > 0, "without a compaction the bytes are still there")
        #expect(try store.statistics().owedBytes > 0)

        let report = try store.compact()
        #expect(report.isErasureComplete && report.bytesAfter < report.bytesBefore)
        #expect(try MarkedFiles.count(in: place.path) == 0)
        #expect(try MarkedFiles.otherNames(in: place.path) == [])
        #expect(try store.statistics().owedBytes == 0 && store.statistics().owedSince == nil)
        for _ in 1...2 {
            #expect(try store.digests() == digests)
            #expect(try store.events() == events)
            #expect(try store.isConsistent())
            #expect(try store.record(Self.numbers.map(MarkedFiles.message)).duplicates == Self.numbers.count, "I4")
            #expect(try store.record(received("new", at: 10_000)) == nil || store.lastPosition().rawValue == 601)
            try store.close()
            #expect(try MessageStore.check(place.path).isSound)
            store = try place.open()
        }
        #expect(try store.message("new") != nil)
        try store.close()
    }

    @Test("what is recorded, named and redacted while the files are copied is in the new ones")
    func meanwhile() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try MarkedFiles.fill(store, 1...100)
        var steps = 0
        try store.compact { _, _ in
            steps += 1
            let number = 1000 + steps
            try store.record(
                received(
                    ServerMessageID("m\(number)"), at: Int64(number), from: UserID("u\(steps)"), in: .group("g\(steps)")
                ))
            if steps <= 3 { try store.redact(Position(UInt64(2 * steps - 1))) }
        }
        #expect(steps > 3)
        let redacted = Set((1...100).filter(MarkedFiles.isMarked) + [1, 3, 5])
        #expect(try Set(store.events().filter(\.isRedacted).map { Int($0.position.rawValue) }) == redacted)
        #expect(try store.events().count == 100 + steps && store.isConsistent())
        #expect(try store.list().count == steps + 1)
        #expect(try store.statistics().owedBytes > 0, "the copy may hold what was redacted since it began")
        #expect(try store.compact().isErasureComplete)
        #expect(try store.statistics().owedBytes == 0)
        try store.close()
        try place.withStore { #expect(try $0.events().count == 100 + steps) }
    }

    @Test("one that is ended leaves everything as it was", arguments: 1...6)
    func ended(step: Int) throws {
        struct Ended: Error {}
        let place = try TemporaryStore()
        let store = try place.open()
        try MarkedFiles.fill(store, 1...60)
        let (digests, owed) = (try store.digests(), try store.statistics().owedBytes)
        var steps = 0
        #expect(throws: Ended.self) {
            try store.compact { _, _ in
                steps += 1
                if steps == step { throw Ended() }
            }
        }
        #expect(try store.digests() == digests && store.statistics().owedBytes == owed)
        #expect(try MarkedFiles.otherNames(in: place.path) == [])
        try store.record(received("after", at: 99))
        #expect(try store.isConsistent())
        #expect(try store.compact().isErasureComplete)
        try store.close()
    }

    @Test("a read that began before ends with the old files, which go when it has ended")
    func reads() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try MarkedFiles.fill(store, 1...60)
        let session = try store.replaySession(to: Position(30))
        let report = try store.compact()
        #expect(try session.read(at: Position(30)) { try $0.unread(of: group).messages } == 30)
        session.close()
        #expect(try report.isErasureComplete || store.compact().isErasureComplete)
        #expect(try MarkedFiles.count(in: place.path) == 0)
        try store.close()
    }

    @Test("I17: a reader in another process goes on with the new files, and sees what is durable")
    func otherProcess() async throws {
        let place = try TemporaryStore()
        let (path, ready, done) = (place.path, place.directory + "/ready", place.directory + "/done")
        let store = try place.open { $0.durability = .full }
        try MarkedFiles.fill(store, 1...60)
        async let reader: Void = #expect(processExitsWith: .success) {
            [path = path as String, ready = ready as String, done = done as String] in
            let reader = try MessageStore.openReadOnly(path)
            #expect(try reader.unread().messages == 60)
            #expect(FileManager.default.createFile(atPath: ready, contents: nil))
            while !FileManager.default.fileExists(atPath: done) { FileSystem.pause(milliseconds: 5) }
            #expect(try reader.unread().messages == 62)
            #expect(try reader.message("m62") != nil && reader.events().count == 62)
            try reader.close()
        }
        while !FileManager.default.fileExists(atPath: ready) { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try store.compact().isErasureComplete == false, "the reader has the old files open")
        #expect(try store.statistics().owedBytes > 0)
        try store.record(MarkedFiles.message(61), MarkedFiles.message(62))
        #expect(FileManager.default.createFile(atPath: done, contents: nil))
        await reader
        try store.redact(Position(62))
        #expect(try store.compact().isErasureComplete)
        #expect(try MarkedFiles.count(in: place.path) == 0)
        try store.close()
    }

    @Test("I2, I16: killed before any of its commits, it leaves the old files or the new ones")
    func killed() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try MarkedFiles.fill(store, 1...60)
        let digests = try store.digests()
        try store.close()
        var wasComplete = false
        for commit in 1...40 where !wasComplete {
            let copy = place.directory + "/copy-\(commit)"
            try FileManager.default.copyItem(atPath: place.path, toPath: copy)
            let result = await #expect(processExitsWith: .failure) { [copy = copy as String, commit = commit as Int] in
                var configuration = MessageStore.Configuration()
                let commits = Locked(Int.min)
                let fault: @Sendable () -> Void = {
                    let isLast = commits.withLock { commits in
                        commits += 1
                        return commits == commit
                    }
                    if isLast { kill(getpid(), SIGKILL) }
                }
                (configuration.commitFault, configuration.viewCommitFault) = (fault, fault)
                let store = try MessageStore.open(copy, account: TemporaryStore.account, configuration: configuration)
                commits.withLock { $0 = 0 }
                try store.compact()
                exit(7)
            }
            wasComplete = result?.exitStatus == .exitCode(7)
            let reopened = try MessageStore.open(
                copy, account: TemporaryStore.account, configuration: place.configuration)
            #expect(try reopened.digests() == digests, "commit \(commit)")
            #expect(try reopened.isConsistent() && reopened.events().count == 60)
            #expect(try MarkedFiles.otherNames(in: copy) == [])
            if !wasComplete { try reopened.compact() }
            try reopened.close()
            #expect(try MarkedFiles.count(in: copy) == 0)
            try FileManager.default.removeItem(atPath: copy)
        }
        #expect(wasComplete, "it was let through to its end")
    }

    @Test("killed between the two renames of a file system that cannot exchange names, the old log comes back")
    func betweenRenames() throws {
        let place = try TemporaryStore()
        try place.withStore { try MarkedFiles.fill($0, 1...10) }
        let (log, files) = (place.path + "/log", FileManager.default)
        try files.copyItem(atPath: log, toPath: log + ".compacting-1")
        try files.moveItem(atPath: log, toPath: log + ".retired-2")
        expectError(.logDamaged) { _ = try place.openReadOnly() }
        try place.withStore { #expect(try $0.events().count == 10) }
        #expect(try MarkedFiles.otherNames(in: place.path) == [])
    }
}
