import Foundation
import MessageStore
import MessageStoreLog
import Testing
@testable import MessageStoreTestSupport

/// A sealed store, to be copied and damaged.
struct SealedOriginal {
    /// A host's event, whose description is in the log.
    struct Noted: ConversationPayload, DeclaredFields {
        var note: String?
        static let declaration = EventDeclaration("com.example.noted", version: 1, scope: .conversation)
        static let fieldList = FieldList(Self.init, ContentFieldOf(1, "note", \Self.note))
    }

    static let key = KeySource { [UInt8](repeating: 3, count: 32) }
    static let secret = "SECRET"
    /// The bytes of a stored value after the sealed ones: opening, number, tag.
    static let trailer = 24

    let place: TemporaryStore
    let events: [RecordedEvent]
    /// The bytes of each record in the file.
    let stored: [UInt64: [UInt8]]

    var last: UInt64 { UInt64(events.count) }

    /// Events; the first 12 use all names.
    static func event(_ number: Int, _ random: inout SplitMix64) -> Event {
        let user = UserID("u-\(secret)-\(number % 6)")
        let place = number % 5 == 0 ? ConversationKey.single("peer-\(secret)") : .group("g-\(secret)")
        switch number % 12 {
        case 1: return Event(MembersAdded([user], kind: .joined), in: .group("g-\(secret)"))
        case 2: return profiles([(user, "name \(secret) \(number)")])
        case 3: return Event(Noted(note: "note \(secret) \(number)"), in: place)
        case 4: return Event(ConversationDraftChanged("draft \(secret) \(number)"), in: place)
        case 7:
            let text = String(repeating: "\(secret) long \(number) ", count: 1 + random.nextIndex(500))
            return received("s-\(number)", at: Int64(number), from: user, in: place, text: text)
        default:
            let text = "\(secret) 你好 \(number)"
            return received("s-\(number)", at: Int64(number), from: user, in: place, text: text)
        }
    }

    static func open(
        _ path: String, _ place: TemporaryStore, key: KeySource? = key
    ) throws -> MessageStore {
        var configuration = place.configuration
        configuration.events = [Noted.self]
        configuration.privacy.key = key
        return try MessageStore.open(path, account: TemporaryStore.account, configuration: configuration)
    }

    /// A store that four openings filled, each of which seals by a key of its own.
    static func make(_ count: Int) throws -> SealedOriginal {
        let place = try TemporaryStore()
        var (random, number, events) = (SplitMix64(seed: 11), 0, [RecordedEvent]())
        for session in 1...4 {
            let store = try open(place.path, place)
            while number < count * session / 4 {
                try store.record(
                    (0..<12 + random.nextIndex(60)).map { _ in
                        number += 1
                        return event(number, &random)
                    })
                place.time.move(byMilliseconds: 10)
            }
            if session == 3 { try store.subscribe(TestSubscriber("subscriber-\(secret)")).cancel() }
            events = try store.events(limit: .max)
            try store.close()
        }
        let stored = try DataFile(place.path + "/log/data.mdb").records()
        #expect(stored.keys.sorted() == (1...UInt64(events.count)).map { $0 })
        return SealedOriginal(place: place, events: events, stored: stored)
    }

    static func opening(of stored: [UInt8]) -> Int {
        stored.suffix(trailer).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    static func renewChecksum(of record: inout [UInt8]) {
        let checksum = XXH64.hash(Array(record[8...]).span.bytes, seed: 0x4D53_4C4F_4731_0000)
        record.replaceSubrange(0..<8, with: withUnsafeBytes(of: checksum.littleEndian) { [UInt8]($0) })
    }

    func copy(_ path: String? = nil) throws -> TemporaryStore {
        let copy = try TemporaryStore()
        try FileManager.default.copyItem(atPath: path ?? self.place.path, toPath: copy.path)
        return copy
    }

}

extension TemporaryStore {
    /// Changes the bytes of the log's data file.
    func changeLog(_ change: (inout DataFile) throws -> Void) throws {
        var file = try DataFile(path + "/log/data.mdb")
        try change(&file)
        try file.write()
    }
}

extension DataFile {
    /// The records that pages of a file hold, whether a tree leads to them or not, by their keys alone.
    func records(without damaged: Set<Int> = []) -> [UInt64: [UInt8]] {
        let size = Self.pageSize
        var found: [UInt64: [UInt8]] = [:]
        for page in 2..<pageCount
        where !damaged.contains(page) && number(page * size, 8) == page && number(page * size + 10, 2) == 2 {
            for node in nodes(of: page) {
                let key = key(of: node)
                let position = key.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                // Keys of the list of free pages are of the other order of bytes.
                guard key.count == 8, position < 1 << 32 else { continue }
                guard number(node + 4, 2) & 1 != 0 else {
                    found[position] = value(of: node)
                    continue
                }
                let first = number(node + 16, 8)
                guard damaged.isDisjoint(with: first..<first + number(first * size + 12, 4)) else { continue }
                let count = number(node, 2) | number(node + 2, 2) << 16
                found[position] = Array(bytes[first * size + 16..<first * size + 16 + count])
            }
        }
        return found
    }

    /// Puts bytes in the place of others, wherever these are in the file.
    mutating func replace(_ old: [UInt8], by new: [UInt8]) {
        var data = Data(bytes)
        while let range = data.range(of: Data(old)) { data.replaceSubrange(range, with: new) }
        bytes = [UInt8](data)
    }

    /// The node of an opening's row.
    func row(ofOpening number: Int) throws -> Int {
        let nodes = pages(of: "openings").leaves.flatMap { self.nodes(of: $0) }
        return try #require(nodes.first { key(of: $0) == [0, 0, 0, UInt8(number)] })
    }

    /// Appends a leaf page that no tree leads to.
    mutating func append(leafWith rows: [(key: [UInt8], value: [UInt8])]) {
        func word(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }
        var (places, content) = ([[UInt8]](), [UInt8]())
        for (key, value) in rows {
            let node = word(value.count) + [0, 0, 0, 0] + word(key.count) + key + value
            content = node + [UInt8](repeating: 0, count: node.count % 2) + content
            places.append(word(Self.pageSize - content.count))
        }
        let (lower, upper) = (16 + 2 * rows.count, Self.pageSize - content.count)
        let header = withUnsafeBytes(of: UInt64(pageCount).littleEndian) { [UInt8]($0) } + [0, 0, 2, 0]
        bytes += header + word(lower) + word(upper) + places.joined()
        bytes += [UInt8](repeating: 0, count: upper - lower) + content
    }
}
