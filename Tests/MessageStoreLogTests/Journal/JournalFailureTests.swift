import Foundation
import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("I2, I10: a journal that cannot be written or committed", .timeLimit(.minutes(30)))
struct JournalFailureTests {
    private static func event(_ number: Int, bytes: Int = 20) -> Event {
        Event(ConversationDraftChanged(String(repeating: "x", count: bytes)), in: .group("g\(number % 9)"))
    }

    /// What was told of failures.
    private final class Notes: Sendable {
        private let notes = Locked<[String]>([])
        var count: Int { notes.withLock { $0.count } }
        var note: EventLog.NoteFailure {
            { [notes] what, error in notes.withLock { $0.append("\(what): \(error)") } }
        }
    }

    @Test("commits that fail in the background are reported once, until one succeeds")
    func backgroundCommits() throws {
        let (hook, notes, attempts, fails) = (JournalHook(), Notes(), Locked(0), Locked(true))
        let journal = try JournalFixture(hook: hook, noteFailure: notes.note)
        let thread = ObjectIdentifier(Thread.current)
        hook.set {
            guard ObjectIdentifier(Thread.current) != thread else { return }
            attempts.withLock { $0 += 1 }
            if fails.withLock({ $0 }) { try JournalHook.full() }
        }
        /// Fills the journal until a commit was tried.
        func attempt() throws {
            let before = attempts.withLock { $0 }
            while attempts.withLock({ $0 }) == before {
                try journal.record([Self.event(1, bytes: 40_000)])
                journal.log.waitForBackgroundCommit()
            }
        }
        try attempt()
        #expect(notes.count == 1)
        try attempt()
        #expect(notes.count == 1)
        fails.withLock { $0 = false }
        try attempt()
        fails.withLock { $0 = true }
        try attempt()
        #expect(notes.count == 2)
        hook.set(nil)
        let reopened = try JournalFixture.reopened(journal.crashed())
        #expect(try JournalFixture.records(reopened) == JournalFixture.records(journal.fixture))
    }

    @Test(
        "a journal that there is no room for is reported once, and events are committed at once",
        .enabled(if: SmallDisk.isAvailable, "no file system can be mounted here"))
    func noRoomForFiles() throws {
        try SmallDisk.with(kilobytes: 1024) { disk in
            let notes = Notes()
            let journal = try JournalFixture(noteFailure: notes.note, in: disk.path)
            try disk.fill(leaving: 60)
            for number in 1...3 { try journal.record([Self.event(number)]) }
            #expect(journal.log.committedPosition == Position(3))
            #expect(notes.count == 1)
            try disk.makeRoom()
            try journal.record([Self.event(4)])
            #expect(journal.log.committedPosition == Position(3))
            #expect(journal.log.durablePosition == Position(4))
        }
    }

    @Test(
        "a write of the journal that fails is reported once; nothing of it is found, and events are committed at once")
    func failedWrite() async throws {
        await #expect(processExitsWith: .success) {
            let notes = Notes()
            let journal = try JournalFixture(noteFailure: notes.note)
            try journal.record([Self.event(1, bytes: 30_000)])
            signal(SIGXFSZ, SIG_IGN)
            FileSizeLimit.set(20_000)
            let prepared = try journal.stage(Self.event(2, bytes: 10_000))
            #expect(throws: LMDBError.self) { try journal.log.makeDurable() }
            #expect(notes.count == 1)
            #expect(journal.log.unstage(prepared))
            FileSizeLimit.set(nil)
            #expect(try JournalFixture.reopened(journal.crashed()).log.lastPosition == Position(1))
            for number in 2...3 { try journal.record([Self.event(number)]) }
            #expect(journal.log.committedPosition == Position(3))
            #expect(notes.count == 1)
        }
    }

    @Test("I4: events during whose writing the lock was lost are not in the journal, which goes on once it is back")
    func lostLock() throws {
        let answers = Locked([Bool]())
        let journal = try JournalFixture(isOwner: { answers.withLock { $0.popLast() ?? true } })
        try journal.record([Self.event(1)])
        for _ in 0..<2 {
            let prepared = try journal.stage(Self.event(2, bytes: 900))
            answers.withLock { $0 = [false, true] }
            let error = storeError { try journal.log.makeDurable() }
            #expect(error?.code == .alreadyOpen && error?.message.contains("may have recorded") == true)
            #expect(answers.withLock { $0 }.isEmpty, "the lock was looked at before and behind the writing")
            #expect(journal.log.unstage(prepared))
            #expect(try JournalFixture.reopened(journal.crashed()).log.lastPosition == Position(1))
        }
        try journal.record([Self.event(3)])
        #expect(journal.log.committedPosition == .origin)
        let reopened = try JournalFixture.reopened(journal.crashed())
        #expect(try JournalFixture.records(reopened) == JournalFixture.records(journal.fixture))
    }

    @Test("events that there is no room to commit stay in the journal; they are read, and the rest waits for room")
    func noRoomToTakeOver() throws {
        let hook = JournalHook()
        let journal = try JournalFixture()
        for number in 1...5 { try journal.record([Self.event(number)]) }
        let path = try journal.crashed()
        let before = try JournalFixture.files(in: path)
        hook.set(JournalHook.full)
        let full = JournalFixture(try JournalFixture.reopened(path, hook: hook), in: path)
        #expect(try JournalFixture.records(full.fixture) == JournalFixture.records(journal.fixture))
        #expect(full.log.durablePosition == Position(5) && full.log.committedPosition == .origin)
        #expect(try full.log.durableSnapshot().lastPosition() == Position(5))
        // Nothing else gets in, and nothing is changed.
        let prepared = try full.stage(Self.event(6))
        #expect(throws: LMDBError.self) { try full.log.makeDurable() }
        #expect(full.log.unstage(prepared))
        #expect(throws: LMDBError.self) { try full.log.redact(Position(1)) }
        #expect(try JournalFixture.files(in: path) == before)
        let copy = journal.directory + "/copy"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try JournalFixture.records(JournalFixture.reopened(copy)) == JournalFixture.records(journal.fixture))
        hook.set(nil)
        try full.record([Self.event(6)])
        #expect(full.log.committedPosition == Position(6))
        #expect(try JournalFixture.files(in: path).isEmpty)
        // From here on the journal is used again.
        try full.record([Self.event(7)])
        #expect(full.log.committedPosition == Position(6) && full.log.durablePosition == Position(7))
        let last = journal.directory + "/last"
        try FileManager.default.copyItem(atPath: path, toPath: last)
        #expect(try JournalFixture.records(JournalFixture.reopened(last)) == JournalFixture.records(full.fixture))
    }
}
