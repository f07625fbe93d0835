import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

/// The files of `Fixtures`, which were made of bug reports of other clients.
enum Fixtures {
    static func path(_ name: String) -> String {
        let tests = (1...2).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        return tests.appendingPathComponent("Fixtures/\(name).ndjson").path
    }
}

/// What a store says of a room after an import.
struct RoomAnswer: Equatable, CustomStringConvertible {
    var unread = 0
    var texts: [String?] = []

    var description: String { "unread \(unread), \(texts)" }
}

@Suite("Matrix: files made of bug reports")
struct MatrixCaseTests {
    private func imported(_ file: String) throws -> (place: MatrixPlace, summary: ImportSummary) {
        let place = try MatrixPlace(account: "@me:a.example")
        return (place, try place.importing(files: [Fixtures.path("Matrix/" + file)]))
    }

    private let room = ConversationKey.group("!a:a.example")
    private let other = ConversationKey.group("!b:a.example")

    /// The rooms that are listed.
    private func rooms(_ place: MatrixPlace) throws -> [ConversationKey: RoomAnswer] {
        try place.store.read { views in
            let listed = try views.conversations(limit: 100).elements
            return try Dictionary(
                uniqueKeysWithValues: listed.map { conversation in
                    let messages = try views.timeline(of: conversation.key, limit: 100).elements
                    return (
                        conversation.key,
                        RoomAnswer(unread: conversation.unread.messages, texts: messages.map(\.text))
                    )
                })
        }
    }

    static let oneRoom: [(file: String, unread: Int, texts: [String?])] = [
        ("M1c", 0, ["before the new login", "after the new login"]),
        // Receipts on a reaction, an edit and a member's coming.
        ("M2a", 0, ["hi"]), ("M2b", 0, ["hi"]), ("M2c", 0, ["hi"]), ("M2d", 0, ["hi there"]), ("M2e", 0, ["hi"]),
        ("M3a", 2, ["one", "nine"]), ("M3b", 2, ["one", "nine"]), ("M3c", 2, ["one", "nine"]),
        ("M3d", 2, ["one", "nine"]), ("M3e", 2, ["one", "two"]),
        // Order and last message are by time (d2); without a count, so is what is read (d5): M4b.
        ("M4a", 1, ["from a clock ten minutes slow", "from a right clock"]), ("M4b", 0, ["slow clock", "right clock"]),
        ("M4c", 1, ["slow clock", "right clock", "right again"]), ("M4e", 2, ["slow clock", "right clock"]),
        ("M4f", 1, ["right clock", "right again", "fast clock"]),
        ("M5e", 1, ["welcome"]),
        ("M7a", 0, [nil]), ("M7b", 1, ["second"]), ("M7c", 0, [nil]), ("M7d", 1, ["hi"]),
        // An edit in a response before its message's is lost, and of two edits the later time holds.
        ("M8a", 1, ["new"]), ("M8b", 1, ["old"]), ("M8c", 1, ["late clock, sent first"]), ("M8d", 0, ["new"]),
        // A receipt of a thread reads nothing of the room.
        ("M9a", 2, ["root", "main", "mine in the thread"]), ("M9b", 2, ["root", "main", "in the thread"]),
        ("M10a", 2, ["old", "new"]), ("M10b", 2, ["old", "new"]), ("M11", 1, ["root", "in the thread"]),
    ]

    @Test("what is unread and shown of one room, again after a second import", arguments: oneRoom)
    func answers(file: String, unread: Int, texts: [String?]) throws {
        let (place, _) = try imported(file)
        var expected = [room: RoomAnswer(unread: unread, texts: texts)]
        #expect(try rooms(place) == expected)
        try place.importing(files: [Fixtures.path("Matrix/" + file)])
        // Now the edit's message is known.
        if file == "M8b" { expected[room]?.texts = ["new"] }
        #expect(try rooms(place) == expected)
        #expect(try place.store.verify().differences.isEmpty)
    }

    @Test("I4: a transaction id is one of a device and a room", arguments: ["M1a", "M1b", "M1d"])
    func transactions(file: String) throws {
        let (place, summary) = try imported(file)
        let isAnswered = file == "M1d"
        #expect(
            try rooms(place) == [
                room: RoomAnswer(unread: isAnswered ? 1 : 0, texts: ["to room a"] + (isAnswered ? ["answer"] : [])),
                other: RoomAnswer(
                    unread: isAnswered ? 1 : 0, texts: ["to room b"] + (isAnswered ? ["answer in b"] : [])),
            ])
        #expect(summary.duplicates == 0)
    }

    @Test("a receipt of a member above an own message reads it", arguments: ["M2f", "M2g"])
    func readByPeer(file: String) throws {
        let (place, _) = try imported(file)
        let message = try place.store.read { try $0.message(.server("$m1"), in: room) }
        #expect(message?.status == .read)
    }

    @Test(
        "d27: a limited timeline leaves a gap, without events as well; M3d: before a state of a slow clock it is early",
        arguments: [("M3a", false), ("M3b", false), ("M3c", false), ("M3d", true), ("M3e", true)])
    func gaps(file: String, isContiguous: Bool) throws {
        let (place, _) = try imported(file)
        let page = try place.store.read { try $0.timeline(of: room, limit: 10) }
        #expect(page.isContiguous == isContiguous)
    }

    @Test("an invitation that ended is not listed, and no membership stays", arguments: ["M5a", "M5b", "M5c", "M5d"])
    func endedInvitations(file: String) throws {
        let (place, _) = try imported(file)
        #expect(try rooms(place).isEmpty)
        #expect(try place.store.read { try $0.isMember("@me:a.example", in: room) } == false)
        try place.importing(files: [Fixtures.path("Matrix/" + file)])
        #expect(try rooms(place).isEmpty)
    }

    @Test(
        "half a surrogate pair becomes U+FFFD in a text, a name and raw bytes, and is counted",
        arguments: [
            ("M6a", "cut emoji \u{FFFD}", 1), ("M6b", "low \u{FFFD} alone", 1), ("M6c", "nul \0 inside", 0),
            ("M6d", "raw \u{FFFD} bytes", 1), ("M6e", "in a name", 1),
        ])
    func halves(file: String, text: String, replaced: Int) throws {
        let (place, summary) = try imported(file)
        let more = ["another room", "another room"] as [String?]
        #expect(
            try rooms(place) == [
                room: RoomAnswer(unread: 4, texts: ["fine", text, "fine", "next"]),
                other: RoomAnswer(unread: 2, texts: more),
            ])
        #expect(summary.replaced == replaced && summary.badLines == 0 && summary.skipped == [:])
        let data = try place.store.read { try $0.message(.server("$m1b"), in: room)?.content.data } ?? []
        #expect(String(decoding: data, as: UTF8.self).contains("x\u{FFFD}") == (file == "M6e"))
    }

    @Test("S1: a file that is older than the store is reported, and the last recorded holds")
    func olderFile() throws {
        let (newer, first) = try imported("M10a")
        #expect(first.older == 0 && newer.reports.isEmpty)
        let (older, second) = try imported("M10b")
        #expect(second.older == 2 && older.reports.count == 1)
        #expect(older.reports.first?.contains("M10b.ndjson: older than what the store has") == true)
        #expect(try older.store.read { try $0.conversation(room)?.name } == "Old name")
        try older.importing(files: [Fixtures.path("Matrix/M10b")])
        #expect(older.reports.count == 1, "what is known is no news")
    }
}
