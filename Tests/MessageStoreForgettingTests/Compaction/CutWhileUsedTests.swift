import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("I6, I14: a store is used while records are cut off", .timeLimit(.minutes(30)))
struct CutWhileUsedTests {
    private static let other = ConversationKey.group("other")

    private struct Answers: Equatable {
        let timelines: [[String]]
        let unread: [Int]
        let oldest: LocalMessageID?

        init(_ store: MessageStore) throws {
            // Of one position each.
            (timelines, unread, oldest) = try store.read { views in
                (
                    try [group, other].map { try views.timeline(of: $0, limit: 1000).texts },
                    try [group, other].map { try views.unread(of: $0).messages },
                    try views.timeline(of: group, limit: 1000).elements.first?.id
                )
            }
        }
    }

    /// Messages of two conversations, of which those of one are cleared up to the 35th.
    private static func fill(_ store: MessageStore, from first: Int = 1) throws {
        for number in first..<first + 40 {
            let id = ServerMessageID("m\(number)")
            try store.record(
                received(id, at: Int64(number)), received(id, at: Int64(number), in: other),
                starred(id, at: Int64(number), in: other))
        }
        try store.record([
            Event(
                HistoryCleared(upTo: order(Int64(first + 34), ServerMessageID("m\(first + 34)")), erases: true),
                in: group)
        ])
    }

    @Test("appends and queries do not wait for the new views, and queries see no other store")
    func used() throws {
        let place = try TemporaryStore()
        let hook = Locked<(@Sendable () -> Void)?>(nil)
        let store = try place.open {
            $0.projections = [Stars(hook: { _ in hook.withLock { hook in hook.take() }?() })]
        }
        try Self.fill(store)
        let answers = try Answers(store)
        let isDone = Locked(false)
        hook.withLock { hook in
            // In the fold of the copy.
            hook = {
                let ended = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    let found = try? Answers(store)
                    let position = try? store.record(received("new", at: 100, in: .group("new"))).position
                    isDone.withLock { $0 = found == answers && position != nil }
                    ended.signal()
                }
                #expect(ended.wait(timeout: .now() + 60) == .success, "nothing waits for the fold")
            }
        }
        let (mayEnd, failures) = (Locked(false), Locked<[any Error]>([]))
        let reads = DispatchGroup()
        DispatchQueue.global().async(group: reads) {
            while !mayEnd.withLock({ $0 }) {
                do { _ = try Answers(store) } catch { failures.withLock { $0.append(error) } }
            }
        }
        #expect(try store.compact().cutEvents == 34)
        #expect(isDone.withLock { $0 } && hook.withLock { $0 == nil })
        #expect(try Answers(store) == answers && store.texts(of: .group("new")) == ["new"])
        #expect(try store.isConsistent())
        try Self.fill(store, from: 41)
        // The newest of the first is cut off now, and the message at its marker.
        #expect(try store.compact().cutEvents > 34 && store.isConsistent())
        mayEnd.withLock { $0 = true }
        reads.wait()
        #expect(failures.withLock { $0 }.isEmpty)
        try store.close()
        #expect(try place.withStore { try $0.isConsistent() && $0.texts(of: .group("new")) == ["new"] })
    }

    @Test("a compaction that is ended while it makes the views leaves everything as it was")
    func ended() throws {
        struct Ended: Error {}
        let place = try TemporaryStore()
        let isMaking = Locked(false)
        let store = try place.open { $0.projections = [Stars(hook: { _ in isMaking.withLock { $0 = true } })] }
        try Self.fill(store)
        let (digests, events) = (try store.digests(), try store.events())
        let session = try store.replaySession()
        let names = try SecretFiles.otherNames(in: place.path)
        isMaking.withLock { $0 = false }
        #expect(throws: Ended.self) {
            try store.compact { _, _ in if isMaking.withLock({ $0 }) { throw Ended() } }
        }
        #expect(try store.digests() == digests && store.events() == events)
        #expect(try session.read(at: Position(2)) { $0.position } == Position(2))
        #expect(try SecretFiles.otherNames(in: place.path) == names)
        #expect(try store.compact().cutEvents == 34)
        try store.close()
    }

    @Test("I17: a reader uses the old views until the log is there that the new ones are of, and so does an opening")
    func betweenExchanges() throws {
        let place = try TemporaryStore()
        let answers = try place.withStore { store in
            try Self.fill(store)
            return try Answers(store)
        }
        let (copy, files) = (place.directory + "/copy", FileManager.default)
        try files.copyItem(atPath: place.path, toPath: copy)
        try MessageStore.open(copy, account: TemporaryStore.account, configuration: place.configuration).cutAndClose()
        func exchange(_ name: String) throws {
            try files.moveItem(atPath: place.path + "/" + name, toPath: place.path + "/\(name).retired-1")
            try files.moveItem(atPath: copy + "/" + name, toPath: place.path + "/" + name)
        }
        let reader = try place.openReadOnly()
        #expect(try Answers(reader) == answers)
        try exchange("views")
        #expect(try Answers(reader) == answers && reader.isConsistent())
        #expect(try reader.statistics().replayStart == .origin && reader.statistics().checkpointPosition > .origin)
        // Killed here.
        let killed = place.directory + "/killed"
        try files.copyItem(atPath: place.path, toPath: killed)
        try exchange("log")
        #expect(try Answers(reader) == answers && reader.isConsistent())
        #expect(try reader.statistics().replayStart > .origin && reader.statistics().checkpointPosition > .origin)
        try reader.close()
        for path in [place.path, killed] {
            let store = try MessageStore.open(
                path, account: TemporaryStore.account, configuration: place.configuration)
            #expect(try Answers(store) == answers && store.isConsistent())
            #expect(try SecretFiles.otherNames(in: path) == [])
            try store.cutAndClose()
        }
    }

    @Test("I17: a process that reads follows another one's cut, which ends its backup with an error and no copy")
    func otherProcess() async throws {
        let place = try TemporaryStore()
        let (path, ready, done) = (place.path, place.directory + "/ready", place.directory + "/done")
        let store = try place.open()
        try Self.fill(store)
        let writer = Task.detached { try Self.cut(store, ready, done) }
        await #expect(processExitsWith: .success) {
            [path = path as String, ready = ready as String, done = done as String] in
            try CutWhileUsedTests.read(path, ready, done)
        }
        try await writer.value
        try Self.check(store, place.directory + "/copy")
    }

    private static func cut(_ store: MessageStore, _ ready: String, _ done: String) throws {
        CompactionTests.wait(for: ready)
        #expect(try store.compact().isErasureComplete == false, "the reader has the old files open")
        #expect(FileManager.default.createFile(atPath: done, contents: nil))
    }

    private static func check(_ store: MessageStore, _ path: String) throws {
        let copy = try MessageStore.open(path, account: TemporaryStore.account, configuration: .ofTests)
        #expect(try Answers(copy) == Answers(store) && copy.isConsistent() && copy.digests() == store.digests())
        #expect(try store.compact().isErasureComplete)
        try copy.close()
        try store.close()
    }

    private static func read(_ path: String, _ ready: String, _ done: String) throws {
        let reader = try MessageStore.openReadOnly(path, configuration: .ofTests)
        let answers = try Answers(reader)
        let copy = URL(fileURLWithPath: path).deletingLastPathComponent().path + "/copy"
        let error = storeError {
            try reader.backup(to: copy) { _, _ in
                #expect(FileManager.default.createFile(atPath: ready, contents: nil))
                CompactionTests.wait(for: done)
            }
        }
        #expect(error?.code == .positionCut && !FileManager.default.fileExists(atPath: copy))
        #expect(try Answers(reader) == answers && reader.isConsistent() && reader.statistics().cutEvents == 34)
        #expect(try reader.backup(to: copy) == reader.lastPosition())
        try reader.close()
    }
}

extension MessageStore {
    fileprivate func cutAndClose() throws {
        try compact()
        #expect(try statistics().cutEvents == 34 && isConsistent())
        try close()
    }
}
