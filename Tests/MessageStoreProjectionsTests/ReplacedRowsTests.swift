import Dispatch
import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("I6: rows that a rebuild replaces", .timeLimit(.minutes(30)))
struct ReplacedRowsTests {
    private let fixture: AdmissionFixture

    init() throws { fixture = try AdmissionFixture() }

    private struct Abandoned: Error {}

    private static let unknown = Event(any: UnknownEvent(type: EventType(rawValue: 0x7777)))

    private func count(_ snapshot: borrowing ViewSnapshot) throws -> UInt64? {
        let key = UInt16(0x7777).bigEndianBytes
        let row: NumberRow? = try snapshot.decoded(.named("unknownEvents"), key.span.bytes)
        return row?.number
    }

    /// Puts a wrong count in the place of the one on disk.
    private func plantWrongCount(in views: ServedViews) throws {
        try views.flush()
        let stored = try #require(views.environment)
        try stored.environment.write { transaction in
            let (key, value) = (UInt16(0x7777).bigEndianBytes, UInt64(1000).bigEndianBytes)
            try transaction.put(
                value.span.bytes, for: key.span.bytes, in: stored.tables[ViewTable.named("unknownEvents").index])
        }
    }

    @Test("a read between the commit and the end of the rebuild sees the new rows and what was folded from them")
    func readAfterCommit() throws {
        let views = fixture.views
        for _ in 1...5 { try fixture.append([Self.unknown]) }
        try plantWrongCount(in: views)
        let stored = try #require(views.environment)
        let (hasLock, mayEnd, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
        // Holds back the rebuild's commit, as the one writer of the views.
        DispatchQueue.global().async(group: hasEnded) {
            #expect(throws: Abandoned.self) {
                try stored.environment.write { _ in
                    hasLock.signal()
                    mayEnd.wait()
                    throw Abandoned()
                }
            }
        }
        hasLock.wait()
        DispatchQueue.global().async(group: hasEnded) {
            #expect(throws: Never.self) { try views.rebuild([.unknownEvents]) { _, _ in } }
        }
        while !views.writer.state.withLock({ $0.isFlushing }) { try waitAMoment() }
        // What is appended meanwhile is folded over the old rows.
        try fixture.append([Self.unknown])
        #expect(try count(views.snapshot()) == 1001)
        try views.writer.state.withLock { state in
            mayEnd.signal()
            while try storedCount(stored) != 5 { try waitAMoment() }
            #expect(try count(state.buffer.snapshot(at: fixture.log.lastPosition)) == 6)
        }
        hasEnded.wait()
        #expect(try count(views.snapshot()) == 6)
        #expect(try views.verify(limit: 10) { _, _ in }.differenceCount == 0)
        try views.finish()
    }

    private func storedCount(_ stored: ViewEnvironment) throws -> UInt64? {
        let key = UInt16(0x7777).bigEndianBytes
        return try stored.environment.read { transaction in
            try transaction.value(for: key.span.bytes, in: stored.tables[ViewTable.named("unknownEvents").index])?
                .loadBigEndian(at: 0, as: UInt64.self)
        }
    }

    private func waitAMoment() throws { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1)) }

    @Test("a rebuild that does not wait for another one says that there is one")
    func otherRebuild() throws {
        let views = fixture.views
        try fixture.append([Self.unknown])
        var refusals = 0
        try views.rebuild(nil) { _, _ in
            let error = storeError { try views.rebuild(nil, waits: false) { _, _ in } }
            #expect(error?.code == .rebuilding)
            refusals += 1
        }
        #expect(refusals > 0)
        try views.rebuild(nil, waits: false) { _, _ in }
    }
}
