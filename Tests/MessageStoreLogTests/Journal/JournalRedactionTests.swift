import Dispatch
import Foundation
import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("I11: redaction of what the journal holds", .timeLimit(.minutes(30)))
struct JournalRedactionTests {
    private static let secret = RedactionTests.redactable[1]
    private static let other = Event(ConversationMuted(true), in: .group("g"))

    private static func holdsSecret(_ path: String) throws -> Bool {
        try Data(JournalFixture.files(in: path)).range(of: Data(RedactionTests.secret.utf8)) != nil
    }

    private static func isRedacted(_ fixture: LogFixture, at position: UInt64) throws -> Bool? {
        try fixture.scan(from: position, to: position) { $0.flags.contains(.isRedacted) }.first
    }

    @Test("it leaves nothing of the content in the files", .withoutKey("looks for words in files"))
    func erased() throws {
        let journal = try JournalFixture()
        let path = journal.directory + "/log"
        try journal.record([Self.secret, Self.other])
        #expect(try Self.holdsSecret(path))
        try journal.log.redact(Position(1))
        #expect(try JournalFixture.files(in: path).allSatisfy { $0 == 0 })
        try journal.record([Self.other])
        let reopened = try JournalFixture.reopened(journal.crashed())
        #expect(try JournalFixture.records(reopened) == JournalFixture.records(journal.fixture))
    }

    @Test("what is redacted already is not written again, and the journal stays as it is")
    func again() throws {
        let hook = JournalHook()
        let journal = try JournalFixture(hook: hook)
        try journal.record([Self.secret])
        try journal.log.redact(Position(1))
        try journal.record([Self.other])
        let before = try JournalFixture.files(in: journal.directory + "/log")
        hook.set { Issue.record("something was written") }
        try journal.log.redact([Position(1), Position(1)])
        hook.set(nil)
        #expect(try JournalFixture.files(in: journal.directory + "/log") == before)
        #expect(journal.log.committedPosition == Position(1))
    }

    @Test("a process that is killed before the log is rewritten has left nothing in the journal")
    func killed() async throws {
        let directory = NSTemporaryDirectory() + "/journal-tests-" + UUID().uuidString
        try FileSystem.createDirectory(directory)
        defer { try? FileSystem.remove(directory) }
        let path = directory + "/log"
        let new = try JournalFixture()
        try FileManager.default.copyItem(atPath: new.directory + "/log", toPath: path)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let hook = JournalHook()
            let fixture = try JournalFixture.reopened(path, hook: hook)
            try JournalFixture(fixture, in: "").record([Self.secret])
            // Once everything is committed, what comes is the redaction.
            hook.set { if fixture.log.committedPosition == Position(1) { kill(getpid(), SIGKILL) } }
            try fixture.log.redact(Position(1))
        }
        #expect(try !Self.holdsSecret(path))
        let reopened = try JournalFixture.reopened(path)
        #expect(try Self.isRedacted(reopened, at: 1) == false)
        try reopened.log.redact(Position(1))
        #expect(try Self.isRedacted(reopened, at: 1) == true)
    }

    @Test("a group that is being written to the journal meanwhile does not bring the content back")
    func besideGroup() throws {
        let hook = JournalHook()
        let journal = try JournalFixture(hook: hook)
        let log = journal.log
        try journal.record([Self.other])
        _ = try journal.stage(Self.secret)
        let (begun, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        hook.set {
            hook.set(nil)
            begun.signal()
            mayGoOn.wait()
        }
        let work = DispatchGroup()
        DispatchQueue.global().async(group: work) { #expect(throws: Never.self) { try log.makeDurable() } }
        begun.wait()
        let redacted = DispatchSemaphore(value: 0)
        DispatchQueue.global().async(group: work) {
            #expect(throws: Never.self) { try log.redact(Position(2)) }
            redacted.signal()
        }
        // It waits for the group, or would be through now.
        _ = redacted.wait(timeout: .now() + .milliseconds(1000))
        mayGoOn.signal()
        work.wait()
        #expect(try !Self.holdsSecret(journal.directory + "/log"))
        #expect(try Self.isRedacted(JournalFixture.reopened(journal.crashed()), at: 2) == true)
    }
}
