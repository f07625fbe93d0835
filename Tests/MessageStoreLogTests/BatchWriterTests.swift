@_spi(Storage) import MessageStoreLog
import Testing

@Suite("Writing a batch") struct BatchWriterTests {
    private let invalidated = ["a", "b"].map { Event(ProfileInvalidated([$0])) }

    @Test func `a record that is taken back leaves neither a place nor a symbol`() throws {
        let fixture = try LogFixture()
        var writer = fixture.log.beginBatch(account: LogFixture.account, now: .unknown)
        try writer.append(invalidated[0])
        #expect(writer.appended?.type == .profileInvalidated)
        writer.rollBack()
        #expect(writer.appended == nil && writer.batch.count == 0)
        try writer.append(invalidated[1])
        writer.keep()
        try fixture.log.commit(PreparedAppend(writer))
        #expect(try fixture.event(at: 1) == invalidated[1].asRecorded)
        #expect(try fixture.log.symbols.existingNumber(of: "a" as UserID) == nil)
        #expect(try fixture.log.symbols.existingNumber(of: "b" as UserID) == 2)
    }
}
