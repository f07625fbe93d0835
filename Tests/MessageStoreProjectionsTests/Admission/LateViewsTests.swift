import Dispatch
import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("I4: a package is prepared beside the fold of the one before", .timeLimit(.minutes(30)))
struct LateViewsTests {
    private let fixture: AdmissionFixture

    init() throws { fixture = try AdmissionFixture() }

    @Test("the views are asked for known identities alone, and once") func onlyKnown() throws {
        try fixture.append((1...50).map { AdmissionFixture.received("\($0)") })
        try fixture.makeFilter()
        let before = fixture.viewsTaken
        try fixture.append((51...60).map { AdmissionFixture.received("\($0)") })
        #expect(fixture.viewsTaken == before)
        let again = try fixture.append(["3", "51", "61", "4"].map { AdmissionFixture.received($0) })
        #expect(again.map(\.rawValue) == [3, 51, 61, 4])
        #expect(fixture.viewsTaken == before + 1)
    }

    @Test("an appender does not wait for a fold that is under way") func roomBesideFold() throws {
        let views = fixture.views
        try fixture.append([AdmissionFixture.received("1")])
        try views.waitForRoom()
        try fixture.append([AdmissionFixture.received("2")])
        let hasRoom = DispatchSemaphore(value: 0)
        let isDone = DispatchGroup()
        views.writer.state.withLock { _ in
            DispatchQueue.global().async(group: isDone) {
                #expect(throws: Never.self) { try views.waitForRoom() }
                hasRoom.signal()
            }
            #expect(hasRoom.wait(timeout: .now() + .seconds(30)) == .success)
        }
        isDone.wait()
        #expect(views.bufferStatus.position == Position(1))
    }

    @Test("where more than a thousand events wait, they are folded first") func manyUnfolded() throws {
        try fixture.append([AdmissionFixture.received("0")])
        try fixture.views.foldNew()
        try fixture.makeFilter()
        try fixture.append((1...1023).map { AdmissionFixture.received("\($0)") })
        try fixture.views.waitForRoom()
        #expect(fixture.views.bufferStatus.position == Position(1))
        try fixture.append([AdmissionFixture.received("1024")])
        try fixture.views.waitForRoom()
        #expect(fixture.views.bufferStatus.position == Position(1025))
    }
}
