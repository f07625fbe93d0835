import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("Chat log: files made of bug reports")
struct ChatLogCaseTests {
    private let group = ConversationKey.group("g")

    private func imported(_ file: String, skipsBadLines: Bool = false) throws -> (
        place: ChatLogPlace, summary: ImportSummary
    ) {
        let place = try ChatLogPlace()
        return (place, try place.importing(Fixtures.path("Logs/" + file), skipsBadLines: skipsBadLines))
    }

    @Test(
        "d2: messages of one time are in the order of their ids' bytes; a half becomes U+FFFD",
        arguments: [
            ("C1", ["second", "third", "first"], 0), ("C2", ["first", "second", "third"], 0),
            ("C3", ["second", "first"], 0), ("C4", ["cut \u{FFFD}", "nul \0 in", "next"], 1),
            ("C5a", ["old", "new"], 0), ("C5b", ["old", "new"], 0), ("C6", ["with a mark", "two"], 0),
        ])
    func texts(file: String, texts: [String], replaced: Int) throws {
        let (place, summary) = try imported(file)
        #expect(try place.texts(of: group) == texts)
        #expect(summary.replaced == replaced && summary.badLines == 0)
    }

    @Test("S1: members of an older file are reported, and the last recorded holds")
    func olderFile() throws {
        let (inOrder, first) = try imported("C5a")
        #expect(first.older == 0 && inOrder.reports.isEmpty)
        #expect(try inOrder.store.read { try $0.isMember("bob", in: group) })
        let (place, second) = try imported("C5b")
        #expect(second.older == 2 && place.reports.count == 1, "the join and the leave")
        #expect(try place.store.read { try $0.isMember("bob", in: group) } == false)
        try place.importing(Fixtures.path("Logs/C5b"))
        #expect(place.reports.count == 1)
    }

    @Test(
        "half a character in an id makes its own line bad, and no other",
        arguments: [
            #"{"conv":"g","kind":"group","id":"m\ud83d","from":"ann","type":"message","text":"x"}"#,
            #"{"conv":"g\ud83d","kind":"group","id":"m","from":"ann","type":"message","text":"x"}"#,
            #"{"conv":"g","kind":"group","id":"m","from":"\ude00ann","type":"message","text":"x"}"#,
            #"{"conv":"g","kind":"group","id":"m","from":"ann","type":"nick","to":"\uD83D"}"#,
            #"{"user":"u\ud83d","name":"N"}"#,
        ])
    func cutIDs(line: String) throws {
        let good = [
            #"{"conv":"g","kind":"group","id":"m1\ufffd","from":"ann\ufffd","type":"message","text":"a\ud83db"}"#,
            #"{"conv":"g","kind":"group","id":"m2","from":"ann","type":"message","text":"\ud83d\ude00 \\ud83d"}"#,
            #"{"user":"ann","name":"Ann\ud83d"}"#,
        ]
        let place = try ChatLogPlace()
        let path = try place.logs.file((good[..<1] + [line] + good[1...]).joined(separator: "\n").utf8)
        let error = #expect(throws: ChatLogError.self) { try place.importing(path) }
        #expect(error?.code == .cutID && error?.line == 2)
        let summary = try place.importing(path, skipsBadLines: true)
        #expect(summary.badLines == 1 && summary.replaced == 2)
        #expect(try place.texts(of: group) == ["a\u{FFFD}b", "😀 \\ud83d"])
        #expect(try place.store.read { try $0.displayName(of: "ann", in: group) } == "Ann\u{FFFD}")
    }

    @Test("d32: a time in seconds makes its line bad, as a store refuses it")
    func seconds() throws {
        let lines = [messageLine("a"), messageLine("b").dropLast() + #","ts":1700000000}"#, messageLine("c")]
        let place = try ChatLogPlace()
        let path = try place.logs.file(lines.joined(separator: "\n").utf8)
        let error = #expect(throws: ChatLogError.self) { try place.importing(path) }
        #expect(error?.code == .invalidEvent && error?.line == 2 && error?.detail.contains("seconds") == true)
        #expect(try place.importing(path, skipsBadLines: true).badLines == 1)
        #expect(try place.texts(of: .group("c")) == ["a", "c"])
    }
}

/// A store of `me`, and the import of chat logs into it.
final class ChatLogPlace {
    let logs: LogFixture
    let store: MessageStore
    private(set) var reports: [String] = []

    init() throws {
        logs = try LogFixture()
        store = try MessageStore.open(logs.directory.path + "/store", account: "me", configuration: .ofTests)
    }

    deinit {
        try? store.close()
    }

    @discardableResult
    func importing(_ path: String, skipsBadLines: Bool = false) throws -> ImportSummary {
        var importer = try ChatLogImporter(
            store: store, packageSize: 200, skipsBadLines: skipsBadLines,
            observer: ImportObserver(progress: { _ in }, report: { self.reports.append("\($0)") }),
            files: [(path, try ChatLogReader(path: path))])
        try importer.importFiles()
        return importer.tally.summary
    }

    func texts(of key: ConversationKey) throws -> [String?] {
        try store.read { try $0.timeline(of: key, limit: 100).elements.map(\.text) }
    }
}
