#if os(Linux)
import Foundation
@testable import MessageStore
import MessageStoreLMDB
@_spi(Storage) import MessageStoreLog
import Testing

@Suite("Readers of a log that is being erased from", .serialized, .timeLimit(.minutes(30)))
struct WaitingReaderTests {
    @Test("I16, I22: a read waits for a writer that is erasing, and sees nothing of what is erased")
    func waits() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        #expect(try ChildProcess(["make", path, "1"], untilReady: false).wait() == .exited(0))
        let writer = try ChildProcess(["erase-stopped", path])
        let identity = try StoreIdentity.read(from: path)
        let keys = try identity.keys(in: StoreDirectory(path: path), TemporaryStore.key)
        let log = try EventLog(path: path + "/log", configuration: .init(access: .readOnly, key: keys?.log))
        try log.useJournal(of: identity.idBytes ?? [])
        #expect(try log.unfinishedErasure() != nil)
        #expect(FileLock.isHolderThere(path + "/writer.lock"))
        let (asked, process) = (Locked(0), writer.identifier)
        log.refuseUnfinishedErasures {
            asked.withLock { $0 += 1 }
            kill(process, SIGCONT)
            return true
        }
        let snapshot = try log.durableSnapshot()
        guard let record = try snapshot.record(at: Position(1)) else {
            Issue.record("no record")
            return
        }
        let content = record.content.byteCount
        #expect(content == 0)
        #expect(asked.withLock { $0 } > 0)
        #expect(try writer.wait() == .exited(0))
        #expect(writer.acknowledged == [1, 2])
    }
}
#endif
