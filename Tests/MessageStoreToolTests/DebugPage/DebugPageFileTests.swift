import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite(
    "The debug page in a file", .tool, .enabled(if: BrowserRun.isPossible, "there is no Chromium or Python"),
    .timeLimit(.minutes(30)))
struct DebugPageFileTests {
    @Test("the page in a file shows the same at a position, however one comes there")
    func file() throws {
        try place.write { try HostileStore.fill($0) }
        let range = ["--from", "30", "--to", TestSize.of(plain: "90", full: "150")]
        let addresses = try [[], ["--no-text"], ["--anonymise"]].map { options in
            let file = place.logs.directory.appendingPathComponent("page\(options.joined()).html")
            try ToolRun(["debug", place.store, "--html", file.path] + range + options).succeeded()
            return file.absoluteString
        }
        try BrowserRun.expectNoProblems(addresses.map { ("written", $0) })
    }

    @Test("in a file, two positions differ in the rows that the store tells")
    func marks() throws {
        let store = try MessageStore.open(place.store, account: RandomEvents.account, configuration: .ofTests)
        defer { try? store.close() }
        // The page takes two rows whose keys read alike, such as "2 bytes", for one: no events whose keys are people's words.
        let worded: Set<EventType> = [
            .chatRoomEntriesChanged, .conversationTagged, .messageMetadataChanged, .reactionAdded, .reactionRemoved,
            .messageSnapshotReceived, .conversationFolderChanged, .contactsReceived, .contactsRemoved, .usersBlocked,
        ]
        var events = RandomEvents(seed: 8)
        while try store.lastPosition().rawValue < 200 {
            let batch = try events.nextBatch(after: store.lastPosition()).filter { !worded.contains($0.type) }
            if !batch.isEmpty { try store.record(batch) }
        }
        // Events that change more rows than the page shows of one.
        let key = RandomEvents.conversations[0]
        let people = (0..<100).map { UserID("p\($0)") }
        try store.record([Event(MembersAdded(people, kind: .invited), in: key)])
        try store.record([Event(MembersRemoved(Array(people.dropLast(20)), kind: .left), in: key)])
        let last = try store.lastPosition()
        let first = Position(101)
        let session = try store.replaySession()
        let pairs = (100...last.rawValue).flatMap { from in
            stride(from: from, through: last.rawValue, by: 17).map { (from, $0) } + [(from, last.rawValue)]
        }.filter { ($0.0 + $0.1).isMultiple(of: TestSize.of(plain: 23, full: 3)) || $0.0 > last.rawValue - 3 }
        let expected = try pairs.map { from, to in
            let changes = try session.changes(from: Position(from), to: Position(to)).changes
            return ExpectedChanges(from: from, to: to, rows: changes.map(\.line).sorted())
        }
        #expect(expected.contains { $0.rows.count > 60 } && expected.contains { $0.rows.isEmpty })
        let report = try DebugReport(of: store, from: first, to: last) { _, _ in }
        let file = place.logs.directory.appendingPathComponent("marks.html")
        try Data(report.page().utf8).write(to: file)
        try JSONEncoder().encode(expected).write(to: file.appendingPathExtension("json"))
        try BrowserRun.expectNoProblems(("marking", file.absoluteString))
    }

    /// The rows that differ between two positions.
    private struct ExpectedChanges: Encodable {
        let from: UInt64
        let to: UInt64
        let rows: [String]
    }
}

extension RowDifference {
    /// The row, whether it is new or gone, and the parts whose words differ.
    fileprivate var line: String {
        let parts = (parts ?? []).filter { $0.first != $0.second }
            .map { "\($0.name): \($0.first ?? "-") -> \($0.second ?? "-")" }.sorted()
        let key = (keyParts ?? []).map { "\($0.name)=\($0.value)" }
        let state = first == nil ? "new" : second == nil ? "gone" : "changed"
        return ([projection.rawValue, table] + key + [state] + parts).joined(separator: " | ")
    }
}
