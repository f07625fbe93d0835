import Foundation
import MessageStore
import MessageStoreTestKit
import Testing

@testable import MessageStoreSearch

@Suite("Search of file names", .timeLimit(.minutes(30)))
struct FileNameTests {
    private func found(_ chat: SearchStore, _ typed: String) throws -> [String] {
        try chat.hits(SearchQuery(typed)).map { hit in
            "\(hit.field.rawValue): \(hit.highlights.map { String(hit.text[$0]) }.joined(separator: " ")) in \(hit.text)"
        }
    }

    @Test("a message is found by the name of its file, and the hit says so")
    func fields() throws {
        let chat = try SearchStore()
        try chat.receive(file: "Holiday-Photo.PNG")
        try chat.receive(file: "合同 final.pdf", "the holiday contract")
        try chat.receive("holiday")
        for isIndexed in [false, true] {
            if isIndexed { try chat.index() }
            #expect(
                try found(chat, "holiday") == [
                    "text: holiday in holiday", "text: holiday in the holiday contract",
                    "fileName: Holiday in Holiday-Photo.PNG",
                ])
            #expect(try found(chat, "合同") == ["fileName: 合同 in 合同 final.pdf"])
            // Its words are in both; the hit shows the first field that has one.
            #expect(try found(chat, "合同 contract") == ["text: contract in the holiday contract"])
            #expect(
                try found(chat, "holiday -pdf") == [
                    "text: holiday in holiday", "fileName: Holiday in Holiday-Photo.PNG",
                ])
            #expect(try found(chat, "\"contract 合同\"") == [])
            var query = SearchQuery("png")
            query.hasLink = true
            #expect(try chat.hits(query).isEmpty)
        }
        try chat.store.close()
    }

    @Test("data that are of another form, or of another type, have no name")
    func otherData() throws {
        let chat = try SearchStore()
        for (type, data) in [
            (.image, #"{"file":{"name":7}}"#), (.image, #"{"file":"holiday"}"#), (.image, "holiday"), (.file, "{}"),
            (.text, #"{"file":{"name":"holiday"}}"#), (.image, #"{"file":{"name":"holi\ud83dday"}}"#),
        ] as [(ContentType, String)] {
            try chat.store.record(
                .received(
                    ServerMessageID("\(type) \(data)"), from: "bob", in: SearchStore.chat,
                    at: Timestamp(milliseconds: 1), content: MessageContent(type: type, data: Array(data.utf8))))
        }
        for isIndexed in [false, true] {
            if isIndexed { try chat.index() }
            #expect(try found(chat, "holiday") == [])
        }
        try chat.store.close()
    }

    @Test("a name goes with its message: edited, recalled, deleted, redacted, erased", arguments: [false, true])
    func gone(isIndexed: Bool) throws {
        let chat = try SearchStore()
        let word = FileHunt.word
        for id in ["edited", "recalled", "deleted", "kept"] {
            try chat.receive(file: "\(word)-\(id).png", id: ServerMessageID(id))
        }
        let redacted = try chat.receive(file: "\(word)-redacted.png")
        if isIndexed { try chat.index() }
        #expect(try chat.hits(SearchQuery(word)).count == 5)
        let renamed = try ImagePayload(MediaFile(path: "1", name: "renamed.png")).encode()
        try chat.store.record(
            .modified(
                .server("edited"), content: renamed, in: SearchStore.chat, at: Timestamp(milliseconds: 99),
                origin: .live))
        try chat.store.record(Event(MessageRecalled(.server("recalled")), in: SearchStore.chat))
        try chat.store.record(Event(MessagesDeleted([.server("deleted")], erases: true), in: SearchStore.chat))
        try chat.store.redact(Position(redacted.rawValue))
        for _ in 0..<2 {
            #expect(try found(chat, word) == ["fileName: \(word) in \(word)-kept.png"])
            #expect(try found(chat, "renamed") == ["fileName: renamed in renamed.png"])
            try chat.index()
        }
        try chat.store.record(Event(MessagesDeleted([.server("kept")], erases: true), in: SearchStore.chat))
        try chat.store.erase(.events([Position(1), Position(2)]))
        try chat.store.compact()
        #expect(try found(chat, word) == [])
        #expect(try FileHunt.counts(in: chat.place.path) == [:])
        try chat.store.close()
    }

    @Test("texts that are too long are told as soon as a search reads them", arguments: [false, true])
    func longTexts(isIndexed: Bool) throws {
        let place = try TemporaryStore()
        let note = HostText(NoteWritten.self) { $0.title }
        func open() throws -> MessageStore {
            try place.open { configuration in
                configuration.events = [NoteWritten.self]
                if isIndexed { configuration.laggingProjections = [SearchIndex(hostTexts: [note])] }
                configuration.clock = ManualClock()
            }
        }
        func received(_ content: MessageContent) -> Event {
            .received("m", from: "bob", in: SearchStore.chat, at: Timestamp(milliseconds: 1), content: content)
        }
        let long = String(repeating: "word ", count: 14_000) + "needle"
        let edit = Event(
            MessageModified(.server("m"), content: .text(long), at: Timestamp(milliseconds: 2)), in: SearchStore.chat)
        let cases: [[Event]] = [
            [received(.text(long))],
            [received(.text("short")), edit], [edit, received(.text("short"))],
            [received(try ImagePayload(MediaFile(path: "1", name: long)).encode())],
            isIndexed ? [Event(NoteWritten(title: long), in: SearchStore.chat)] : [],
            [received(MessageContent(type: .text, text: "x", data: Array(long.utf8)))],
        ]
        for (number, events) in cases.enumerated() where !events.isEmpty {
            let store = try open()
            let hasLongTexts = number != cases.count - 1
            try store.record(events)
            for query in ["needle", "word -word", "other"] {
                let page = try store.search(SearchQuery(query))
                #expect(page.elements.isEmpty && page.isComplete && page.hasLongTexts == hasLongTexts, "\(number)")
            }
            if isIndexed {
                try store.catchUp(SearchIndex.id)
                #expect(try store.search(SearchQuery("needle")).hasLongTexts == hasLongTexts, "\(number)")
            }
            try store.close()
            try FileManager.default.removeItem(atPath: place.path)
        }
    }
}
