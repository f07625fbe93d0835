import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("I10, I14: salvage of damaged logs", .serialized, .timeLimit(.minutes(30)))
struct SalvageTests {
    private static let room = ConversationKey.chatRoom("room")

    /// Events of many kinds, in commits of different sizes, some of them redacted, some on pages of their own.
    private static func fill(_ store: MessageStore, count: Int, _ time: ManualTime) throws {
        var random = SplitMix64(seed: 7)
        var (number, hasRedacted) = (0, false)
        while number < count {
            let batch = (0..<1 + random.nextIndex(200)).map { _ in
                number += 1
                return event(number, &random)
            }
            try store.record(batch)
            time.move(byMilliseconds: 10)
            if !hasRedacted, number >= count / 2 {
                try redactSome(store)
                hasRedacted = true
            }
        }
    }

    /// Redacts some of the messages that are there, and removes their contents from the file.
    private static func redactSome(_ store: MessageStore) throws {
        let messages = try store.events(where: EventFilter(types: [.messageReceived]), limit: .max).map(\.position)
        for index in stride(from: 50, to: messages.count, by: 400) { try store.redact(messages[index]) }
        try store.compact()
    }

    private static func event(_ number: Int, _ random: inout SplitMix64) -> Event {
        let group = ConversationKey.group("group-\(random.nextIndex(60))")
        let user = UserID("user-\(random.nextIndex(300))")
        switch random.nextIndex(40) {
        case 0:
            return Event(
                any: UnknownEvent(type: EventType(rawValue: 0x9009), schemaVersion: 3, fields: [24, 7]), in: group)
        case 1: return Event(MembersAdded([user, "user-\(random.nextIndex(300))"], kind: .joined), in: group)
        case 2: return profiles([(user, "name \(number)")])
        case 3: return Event(ChatRoomEntriesChanged(set: ["k\(number)": "v"]), in: room)
        case 4:
            let text = String(repeating: "long \(number) ", count: 1 + random.nextIndex(600))
            return received("m\(number)", at: Int64(number), from: user, in: group, text: text)
        default:
            return received("m\(number)", at: Int64(number), from: user, in: group, text: "this is text \(number).")
        }
    }

    private struct Original {
        let place: TemporaryStore
        let events: [RecordedEvent]
    }

    private static func make(count: Int) throws -> Original {
        let place = try TemporaryStore()
        let events = try place.withStore { store in
            try fill(store, count: count, place.time)
            return try store.events(limit: .max)
        }
        return Original(place: place, events: events)
    }

    private static let large = Result { try make(count: TestSize.of(plain: 6_000, full: 20_000)) }
    private static let small = Result { try make(count: 1_000) }

    private func damaged(_ original: Original, _ change: (inout DataFile) throws -> Void) throws -> TemporaryStore {
        let copy = try TemporaryStore()
        try FileManager.default.copyItem(atPath: original.place.path, toPath: copy.path)
        var file = try DataFile(copy.path + "/log/data.mdb")
        try change(&file)
        try file.write()
        return copy
    }

    /// Salvages a store and holds every event of the new one against the original.
    private func salvage(_ place: TemporaryStore, of original: Original) throws -> SalvageReport {
        let path = place.directory + "/new"
        let report = try MessageStore.salvage(place.path, to: path)
        #expect(report.account == TemporaryStore.account)
        let store = try MessageStore.open(path, account: report.account, configuration: place.configuration)
        let events = try store.events(limit: .max)
        #expect(events.map(\.position.rawValue) == (0..<UInt64(events.count)).map { $0 + 1 })
        #expect(events.count == report.kept + report.lostCount && events.count <= original.events.count)
        if let lost = report.lostAtEnd { #expect(events.count + lost == original.events.count) }
        let names = report.replacedNames.map(\.name)
        for (event, old) in zip(events, original.events) {
            let isLost = report.lost.contains { $0.contains(event.position) }
            #expect((event.event.type == .recordLost) == isLost, "position \(event.position)")
            guard !isLost else { continue }
            let hasLostName = names.contains { "\(event.event)".contains($0.split(separator: ":").last ?? "") }
            if event != old, !hasLostName { Issue.record("position \(event.position) differs") }
            #expect(event.isRedacted == old.isRedacted && event.recordedTime == old.recordedTime)
            #expect(event.commit == old.commit && event.byteCount == old.byteCount)
        }
        let times = events.map(\.recordedTime)
        #expect(times == times.sorted())
        try store.record([received("a new one", at: 1)])
        try store.close()
        let check = try MessageStore.check(path)
        #expect(check.isSound && check.comparedPosition != nil, "\(check.findings)")
        return report
    }

    @Test(
        "with 5 % of the pages destroyed at least 92 % of the events are kept, and each gap is named",
        arguments: Seeds.first(3))
    func fivePercent(seed: UInt64) throws {
        let original = try Self.large.get()
        var random = SplitMix64(seed: seed)
        let place = try damaged(original) { file in
            var pages = Array(0..<file.pageCount)
            for index in 0..<file.pageCount / 20 {
                pages.swapAt(index, index + random.nextIndex(pages.count - index))
                if seed % 2 == 0 {
                    file.zero(page: pages[index])
                } else {
                    let start = pages[index] * DataFile.pageSize
                    for offset in start..<start + DataFile.pageSize {
                        file.bytes[offset] = UInt8(truncatingIfNeeded: random.next())
                    }
                }
            }
        }
        let report = try salvage(place, of: original)
        let share = Double(report.kept) / Double(original.events.count)
        #expect(share >= 0.92, "seed \(seed): \(share)")
    }

    @Test("without meta pages nothing is lost, and what was redacted stays so")
    func withoutMetas() throws {
        let original = try Self.small.get()
        let place = try damaged(original) { file in
            file.zero(page: 0)
            file.zero(page: 1)
        }
        expectError(.logDamaged) { _ = try place.openReadOnly() }
        let report = try salvage(place, of: original)
        #expect(report.kept == original.events.count && report.lost.isEmpty && report.replacedNames.isEmpty)
        let redacted = original.events.filter(\.isRedacted)
        #expect(!redacted.isEmpty)
    }

    @Test("I11: an erased word does not come back from a free page when the page that replaced it is destroyed")
    func erased() throws {
        let place = try TemporaryStore()
        try place.withStore { store in
            try store.record((1...200).map { received("m\($0)", at: Int64($0), text: "unmistakable \($0)") })
            try store.redact(Position(120))
        }
        var file = try DataFile(place.path + "/log/data.mdb")
        #expect(Data(file.bytes).range(of: Data("unmistakable 120".utf8)) != nil)
        let key = withUnsafeBytes(of: UInt64(120).bigEndian) { [UInt8]($0) }
        let page = try #require(
            file.pages(of: "records").leaves.first { page in file.nodes(of: page).contains { file.key(of: $0) == key } }
        )
        file.zero(page: page)
        try file.write()
        let path = place.directory + "/new"
        let report = try MessageStore.salvage(place.path, to: path)
        #expect(report.lost.contains { $0.contains(Position(120)) } && report.kept > 150)
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: path + "/log/data.mdb")).range(of: Data("unmistakable 120".utf8))
                == nil)
    }

    @Test("of a truncated file what is left is kept, and what went with its end is counted", arguments: [20, 60, 95])
    func truncated(percent: Int) throws {
        let original = try Self.small.get()
        let place = try damaged(original) { $0.bytes.removeLast($0.bytes.count * (100 - percent) / 100) }
        let report = try salvage(place, of: original)
        #expect(report.kept >= original.events.count * (percent - 15) / 100, "\(report.kept)")
        let lostAtEnd = try #require(report.lostAtEnd)
        #expect(lostAtEnd > 0)
    }

    @Test("a healthy log is kept as it is, and the old store is left alone")
    func healthy() throws {
        let original = try Self.small.get()
        let place = try damaged(original) { _ in }
        let before = try Data(contentsOf: URL(fileURLWithPath: place.path + "/log/data.mdb"))
        let report = try salvage(place, of: original)
        #expect(report.kept == original.events.count && report.repaired == 0 && report.replacedNames.isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: place.path + "/log/data.mdb")) == before)
    }

    @Test("names are made anew from the numbers where only these are left, and replaced where nothing is")
    func names() throws {
        let original = try Self.small.get()
        var place = try damaged(original) { file in
            for page in file.pages(of: "symbolNames").leaves { file.zero(page: page) }
        }
        #expect(try salvage(place, of: original).replacedNames.isEmpty)
        place = try damaged(original) { file in
            for table in ["symbolNames", "symbolNumbers"] {
                let pages = file.pages(of: table)
                for page in pages.leaves + pages.branches { file.zero(page: page) }
            }
            // Older versions of the pages hold most of the names.
            for page in 2..<file.pageCount where file.number(page * DataFile.pageSize + 10, 2) == 2 {
                if file.nodes(of: page).contains(where: { file.key(of: $0).count != 8 }) { file.zero(page: page) }
            }
        }
        let report = try salvage(place, of: original)
        #expect(report.kept == original.events.count)
        #expect(report.replacedNames.count { $0.kind == "conversation" } == 61)
        #expect(report.replacedNames.contains { $0.name.hasPrefix("chatRoom:lost-") })
        #expect(!report.replacedNames.contains { $0.kind == "user" && $0.name == "lost-user-1" })
    }

    @Test("one bit of a number makes no names", arguments: [8, 15, 16, 17, 20, 23, 30])
    func numberBit(bit: Int) throws {
        let original = try Self.small.get()
        let place = try damaged(original) { file in
            let leaf = try #require(file.pages(of: "symbolNumbers").leaves.last)
            let node = try #require(file.nodes(of: leaf).last)
            file.flip(bit: bit % 8, at: node + 8 + file.number(node + 6, 2) + bit / 8)
        }
        let report = try salvage(place, of: original)
        #expect(report.kept == original.events.count && report.replacedNames.isEmpty, "\(report.replacedNames.count)")
    }

    @Test("what is no log, is missing, or stands in the way is refused")
    func refused() throws {
        let place = try TemporaryStore()
        let new = place.directory + "/new"
        expectError(.storeMissing) { _ = try MessageStore.salvage(place.path, to: new) }
        try place.withStore { try $0.record([received("a", at: 1)]) }
        expectError(.invalidArgument) { _ = try MessageStore.salvage(place.path, to: place.directory) }
        expectError(.accountMismatch) { _ = try MessageStore.salvage(place.path, to: new, account: "other") }
        let open = try place.open()
        expectError(.alreadyOpen) { _ = try MessageStore.salvage(place.path, to: new) }
        try open.close()
        let data = URL(fileURLWithPath: place.path + "/log/data.mdb")
        for bytes in [Data(), Data(repeating: 0, count: 1 << 16), Data(repeating: 0xFF, count: 1 << 16)] {
            try bytes.write(to: data)
            expectError(.logDamaged) { _ = try MessageStore.salvage(place.path, to: new) }
        }
        try FileManager.default.removeItem(at: data)
        expectError(.logDamaged) { _ = try MessageStore.salvage(place.path, to: new) }
        #expect(!FileManager.default.fileExists(atPath: new))
    }
}
