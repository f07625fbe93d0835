import Foundation
import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("I10: a journal that is removed after a crash") struct LostJournalTests {
    private let journal: JournalFixture

    init() throws { journal = try JournalFixture() }

    private static let event = Event(ConversationMuted(true), in: .group("g"))

    private static func removeJournal(_ path: String) throws {
        for name in Journal.fileNames { try FileSystem.remove(path + "/" + name) }
    }

    @Test("is noticed by writers and readers, and what the log has can be had", arguments: [true, false])
    func removed(commits: Bool) throws {
        try journal.record([Self.event])
        if commits { try journal.log.commit() }
        try journal.record([Self.event])
        let path = try journal.crashed(Self.removeJournal)
        for _ in 0..<2 {
            let error = storeError { try JournalFixture.reopened(path) }
            #expect(error?.code == .logDamaged && error?.position == Position(commits ? 2 : 1))
            let reader = try EventLog(path: path, configuration: .ofTests(access: .readOnly))
            #expect(storeError { try reader.useJournal(of: JournalFixture.storeID) }?.code == .logDamaged)
        }
        let expected = commits ? Position(1) : .origin
        #expect(try JournalFixture.reopened(path, acceptsLoss: true).log.lastPosition == expected)
        #expect(try JournalFixture.reopened(path).log.lastPosition == expected)
    }

    @Test("so is one of its two files, whichever has the events", arguments: [0, 1]) func removedFile(_ file: Int)
        throws
    {
        let large = Event(ConversationDraftChanged(String(repeating: "x", count: 40_000)), in: .group("g"))
        func isLast(in file: Int) throws -> Bool {
            let content = try JournalContent(
                in: journal.log.environment.path, storeID: JournalFixture.storeID, sealedBy: JournalFixture.frameKey)
            return content.files[file].contains { $0.frame.last == journal.log.lastPosition }
        }
        while try !isLast(in: file) || !FileManager.default.fileExists(atPath: journal.directory + "/log/journal-1") {
            try journal.record([large])
            journal.log.waitForBackgroundCommit()
        }
        let committed = journal.log.committedPosition
        try journal.record([Self.event])
        try #require(try isLast(in: file) && committed < journal.log.lastPosition)
        #expect(try JournalFixture.reopened(journal.crashed()).log.lastPosition == journal.log.lastPosition)
        let path = try journal.crashed { try FileSystem.remove($0 + "/journal-\(file)") }
        for _ in 0..<2 {
            let error = storeError { try JournalFixture.reopened(path) }
            #expect(error?.code == .logDamaged && error?.position == Position(committed.rawValue + 1))
            let reader = try EventLog(path: path, configuration: .ofTests(access: .readOnly))
            #expect(storeError { try reader.useJournal(of: JournalFixture.storeID) }?.code == .logDamaged)
        }
        #expect(try JournalFixture.reopened(path, acceptsLoss: true).log.lastPosition == committed)
        #expect(try JournalFixture.reopened(path).log.lastPosition == committed)
    }

    @Test("none is missed where one was taken over, or the log was closed")
    func clean() throws {
        try journal.record([Self.event])
        let path = try journal.crashed()
        // Taken over, nothing written since, and killed again.
        let taken = try JournalFixture.reopened(path)
        let again = path + "-again"
        try FileManager.default.copyItem(atPath: path, toPath: again)
        withExtendedLifetime(taken) {}
        #expect(try JournalFixture.reopened(again).log.lastPosition == Position(1))
        try journal.log.closeJournal()
        let closed = try journal.crashed()
        #expect(try JournalFixture.reopened(closed).log.lastPosition == Position(1))
        try journal.log.symbols.enter(account: LogFixture.account)
        #expect(try JournalFixture.reopened(journal.crashed()).log.lastPosition == Position(1))
    }

    @Test("none is missed where none was used") func unused() throws {
        let prepared = try journal.stage(Self.event)
        try journal.log.commit()
        #expect(try JournalFixture.reopened(journal.crashed()).log.lastPosition == prepared.batch.lastPosition)
    }
}
