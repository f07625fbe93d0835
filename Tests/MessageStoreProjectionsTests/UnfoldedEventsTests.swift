import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("I7: events that are not folded, and how many an appender lets gather", .timeLimit(.minutes(30)))
struct UnfoldedEventsTests {
    private let fixture: AdmissionFixture

    init() throws { fixture = try AdmissionFixture() }

    private static func events(_ batch: Int) -> [Event] {
        (0..<100).map { AdmissionFixture.received("\(batch)-\($0)") }
    }

    @Test("after a batch was taken back, what has to be folded again counts")
    func takenBack() throws {
        let views = fixture.views
        for batch in 0..<15 { try fixture.append(Self.events(batch)) }
        let admitted = try fixture.admit([AdmissionFixture.received("last")])
        fixture.log.stage(admitted.prepared)
        try views.foldNew()
        #expect(fixture.log.unstage(admitted.prepared))
        views.rewind()
        // Nothing of it was written.
        #expect(views.bufferStatus.position == .origin)
        try views.waitForRoom()
        #expect(views.bufferStatus.position == Position(1500))
        try views.finish()
    }

    @Test("after a rebuild, what it has not folded counts")
    func rebuilt() throws {
        let views = fixture.views
        try fixture.append([AdmissionFixture.received("first")])
        // A rebuild folds what is durable.
        for batch in 0..<15 {
            let admitted = try fixture.admit(Self.events(batch))
            fixture.log.stage(admitted.prepared)
            try views.foldNew()
        }
        #expect(views.bufferStatus.position == Position(1501))
        try views.rebuild(nil) { _, _ in }
        #expect(views.bufferStatus.position == Position(1))
        try views.waitForRoom()
        #expect(views.bufferStatus.position == Position(1501))
        try views.finish()
    }
}
