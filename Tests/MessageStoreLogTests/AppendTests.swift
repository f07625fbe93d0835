import MessageStoreLMDB
@_spi(Storage) import MessageStoreLog
import Testing

@Suite("Appending") struct AppendTests {
    private let fixture: LogFixture

    init() throws { fixture = try LogFixture() }

    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    static let pinned = Event(ConversationPinned(), in: .group("g"))

    @Test("I1: positions are dense from 1 and the commit index counts within a commit") func densePositions() throws {
        #expect(fixture.log.lastPosition == .origin)
        var positions: [UInt64] = []
        for size in [1, 3, 0, 2] {
            positions += try fixture.append([Event](repeating: Self.pinned, count: size)).map(\.rawValue)
        }
        #expect(positions == Array(1...6))
        #expect(try fixture.scan { $0.position.rawValue } == Array(1...6))
        #expect(try fixture.scan { $0.commitIndex } == [0, 0, 1, 2, 0, 1])
        #expect(fixture.log.lastPosition.rawValue == 6)
    }

    @Test func `recorded times never fall, whatever the clock does, also after closing and opening`() throws {
        for now in [500, 900, 100, -5, 901, .max, 0] as [Int64] { try fixture.append([Self.pinned], now: now) }
        let latest = Timestamp.latest.milliseconds
        #expect(try fixture.scan { $0.recordedTime.milliseconds } == [500, 900, 900, 900, 901, latest, latest])
        do {
            let log = try EventLog(path: path, configuration: .ofTests(access: .create))
            try LogFixture(log: log).append([Self.pinned], now: 900)
        }
        let reopened = LogFixture(log: try EventLog(path: path, configuration: .ofTests(access: .readWrite)))
        try reopened.append([Self.pinned], now: 100)
        #expect(try reopened.scan { $0.recordedTime.milliseconds } == [900, 900])
    }

    @Test("I6: one invalid event anywhere records nothing", arguments: [0, 1, 2]) func atomic(place: Int) throws {
        try fixture.append([Self.pinned])
        var events = [Event](repeating: Self.pinned, count: 3)
        events[place] = Event(ConversationPinned(), in: .group(""))
        #expect(storeError { try fixture.append(events) }?.code == .invalidArgument)
        #expect(try fixture.scan { $0.position.rawValue } == [1])
        #expect(try fixture.append([Self.pinned]).map(\.rawValue) == [2])
    }

    @Test func `what is prepared and never committed leaves nothing`() throws {
        _ = try fixture.log.prepare([Self.pinned], account: "me", now: .unknown)
        #expect(fixture.log.lastPosition == .origin)
        #expect(try fixture.log.symbols.existingNumber(of: .group("g")) == nil)
    }

    @Test func `a batch larger than the map is recorded whole`() throws {
        let log = try EventLog(path: path, configuration: .ofTests(access: .create, mapSize: 1 << 18))
        let draft = ConversationDraftChanged(String(repeating: "草", count: 1000))
        let events = (0..<2000).map { Event(draft, in: .group("g\($0)")) }
        try LogFixture(log: log).append(events)
        #expect(try LogFixture(log: log).scan { $0.conversation } == Array(1...2000))
    }
}
