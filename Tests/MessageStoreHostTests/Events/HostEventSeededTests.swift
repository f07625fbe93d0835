import Foundation
import MessageStore
import Testing

@Suite("Random hosts' events")
struct HostEventSeededTests {
    static let types: [any EventPayload.Type] = [Everything.self, MessageStarred.self]

    @Test(
        "I9: what was recorded is read after reopening, from a backup, and by way of a store that does not know it",
        arguments: 1...8 as ClosedRange<UInt64>)
    func journey(seed: UInt64) throws {
        var random = HostRandom(seed: seed)
        let events = (0..<120).map { random.event($0) }
        let place = try HostPlace()
        try place.withStore(Self.types) { store throws in
            var rest = events[...]
            while !rest.isEmpty {
                let batch = rest.prefix(1 + random.number(below: 9))
                try store.record(Array(batch))
                rest = rest.dropFirst(batch.count)
            }
        }
        let backup = try place.withStore(Self.types) { store throws in
            // Messages carry the server's time in their event as well once they are recorded.
            let read = try store.events().map(\.event)
            #expect(read.map(Self.isHosts) == events.map(Self.isHosts))
            #expect(read.filter(Self.isHosts) == events.filter(Self.isHosts))
            let redacted = try store.events().filter { Self.isHosts($0.event) }.prefix(5).map(\.position)
            for position in redacted { try store.redact(position) }
            return try store.backup()
        }
        let unknown = try place.withStore([]) { try $0.backup() }

        let copy = try HostPlace()
        try copy.withStore(Self.types) { try $0.restore(backup) }
        #expect(try copy.withStore([]) { try $0.backup() } == unknown, "byte for byte, by the full backup")
        let older = try HostPlace()
        try older.withStore([]) { try $0.restore(unknown) }
        #expect(try older.withStore([]) { try $0.backup() } == unknown, "byte for byte, without the host's code")
        try older.withStore(Self.types) { store throws in
            #expect(try store.backup() == backup)
            #expect(try store.verify().isConsistent)
        }
        let newer = try HostPlace()
        try newer.withStore(Self.types) { try $0.restore(unknown) }
        #expect(try newer.withStore(Self.types) { try $0.backup() } == backup)
        let digests = try [place, copy, older, newer].map { try $0.withStore(Self.types) { try $0.digests() } }
        #expect(digests.dropFirst().allSatisfy { $0 == digests.first })
    }

    private static func isHosts(_ event: Event) -> Bool { event.payload is Everything }
}
