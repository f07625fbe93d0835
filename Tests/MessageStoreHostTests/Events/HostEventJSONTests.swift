import Foundation
import MessageStore
import Testing

@Suite("Hosts' events as JSON")
struct HostEventJSONTests {
    private static func decode(_ json: String, _ types: EventTypes = .builtIn) throws -> Event {
        let decoder = JSONDecoder()
        decoder.userInfo[.eventTypes] = types
        return try decoder.decode(Event.self, from: Data(json.utf8))
    }

    @Test(
        "an event stands under its name with its fields by theirs; where the type is not known it stays an unknown one")
    func typed() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode(HostEventTests.starred), as: UTF8.self)
        #expect(
            json == """
                {"conversation":{"id":"g","kind":"group"},"device":"d1","id":"e1","origin":"otherDevice",\
                "payload":{"by":"bob","folder":"later","isStarred":true,"message":{"server":"s1"},\
                "note":"read this"},"type":"com.example.message-starred"}
                """)
        #expect(try Self.decode(json, EventTypes([MessageStarred.self])) == HostEventTests.starred)
        #expect(throws: DecodingError.self) { try Self.decode(json) }
        encoder.userInfo[.omitsEventContent] = true
        #expect(!String(decoding: try encoder.encode(HostEventTests.starred), as: UTF8.self).contains("read this"))
        let place = try HostPlace()
        try place.withStore { try $0.record(HostEventTests.starred) }
        let line = try #require(try place.withStore([]) { try $0.backup().first })
        let unknown = try Self.decode(line)
        #expect((unknown.payload as? UnknownEvent)?.type == EventType(MessageStarred.self))
        #expect(try Self.decode(line, EventTypes([MessageStarred.self])) == HostEventTests.starred)
    }

    @Test("I9: a backup is the same by way of a store that does not know the host's types")
    func restored() throws {
        let place = try HostPlace()
        let full = try place.withStore { store throws in
            try store.record([HostEventTests.message, HostEventTests.starred])
            return try store.backup()
        }
        let plain = try place.withStore([]) { try $0.backup() }
        #expect(plain != full)
        let older = try HostPlace()
        try older.withStore([]) { store throws in
            try store.restore(plain)
            #expect(try store.backup() == plain)
        }
        #expect(try older.withStore { try $0.backup() } == full)
        // What a store without the types wrote is typed again where they are known.
        let newer = try HostPlace()
        try newer.withStore { store throws in
            try store.restore(plain)
            #expect(try store.backup() == full)
            #expect(try store.verify().isConsistent)
        }
        #expect(try newer.withStore([]) { try $0.backup() } == plain)
    }
}
