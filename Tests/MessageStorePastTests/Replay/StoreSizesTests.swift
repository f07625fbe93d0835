import Foundation
import MessageStore
import MessageStoreModel
import MessageStoreTestKit
import MessageStoreWorkload
import Testing

@Suite("Where the bytes are", .timeLimit(.minutes(30)))
struct StoreSizesTests {
    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    private static func month(_ time: Timestamp) -> String {
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        let parts = calendar.dateComponents([.year, .month], from: date)
        return "\(parts.year ?? 0)-\((parts.month ?? 0) < 10 ? "0" : "")\(parts.month ?? 0)"
    }

    @Test("a month is that of the calendar in UTC", arguments: Seeds.first(20))
    func months(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        // From the first day of the Gregorian calendar on; Foundation's is the Julian one before.
        let ends: [Int64] = [
            0, -1, 951_782_399_999, 951_782_400_000, 1_709_251_199_999, 1_709_251_200_000, 4_107_542_399_999,
        ]
        let times =
            ends + (0..<500).map { _ in Int64.random(in: -12_219_292_800_000...60_000_000_000_000, using: &random) }
        for time in times.map({ Timestamp(milliseconds: $0) }) {
            let month = StoreSizes.Month(time)
            #expect(month.description == Self.month(time))
            #expect(StoreSizes.Month(year: month.year, month: month.month) == month)
        }
    }

    private static func type(of verdict: FilterVerdict) -> String {
        switch verdict {
        case .replace(let content): content.type.rawValue
        case .unknown(_, let content): content?.type.rawValue ?? "none"
        case .keep, .hide: "none"
        }
    }

    /// The counts that a pass over all events gives, in the words of a part.
    private func counts(_ store: MessageStore) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for recorded in try store.events(limit: .max) {
            let event = recorded.event
            let type =
                switch event.payload {
                case let payload as MessageReceived: payload.content.type.rawValue
                case let payload as MessageSendQueued: payload.content.type.rawValue
                case let payload as MessageInsertedLocally: payload.content.type.rawValue
                case let payload as MessageModified: payload.content.type.rawValue
                case let payload as MessageSnapshotReceived: payload.content?.type.rawValue ?? "none"
                case let payload as MessageFiltered: Self.type(of: payload.verdict)
                case let payload as UnknownEvent: payload.contentType?.rawValue ?? "none"
                default: "none"
                }
            let month = Self.month(event.serverTime ?? recorded.recordedTime)
            counts["\(event.conversation?.description ?? "account") \(month) \(type)", default: 0] += 1
        }
        return counts
    }

    @Test(
        "records are counted by conversation, month and content type as a pass over all events does",
        arguments: Seeds.first(10))
    func parts(seed: UInt64) throws {
        let place = try TemporaryStore()
        let store = try place.open(account: RandomEvents.account)
        var random = RandomEvents(seed: seed)
        while try store.lastPosition().rawValue < TestSize.of(plain: 300, full: 3_000) {
            try store.record(random.nextBatch(after: store.lastPosition()))
        }
        let sizes = try store.sizes()
        var found: [String: Int] = [:]
        for (part, amount) in sizes.parts {
            let type = part.type?.rawValue ?? "none"
            found["\(part.conversation?.description ?? "account") \(part.month) \(type)", default: 0] += amount.records
        }
        let expected = try counts(store)
        let wrong = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }.sorted()
        #expect(wrong == [])
        let sums = sizes.amounts(by: \.conversation)
        #expect(sums.reduce(0) { $0 + $1.amount.records } == Int(try store.lastPosition().rawValue))
        #expect(sums.indices.dropFirst().allSatisfy { sums[$0 - 1].amount.bytes >= sums[$0].amount.bytes })
        try store.close()
    }

    @Test("the sum is that of the store's files within 5 %, and the sizes follow the log")
    func sum() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let group = ConversationKey.group("photos")
        for package in 0..<20 {
            try store.record(
                (0..<500).map { number in
                    .received(
                        ServerMessageID("m\(package)-\(number)"), from: "bob", in: group,
                        at: Timestamp(milliseconds: 1_700_000_000_000 + Int64(package * 500 + number)),
                        content: .text(String(repeating: "word ", count: 1 + number % 20)))
                })
        }
        try store.compact()
        let sizes = try store.sizes()
        #expect(try store.sizes() == sizes)
        let files = try FileManager.default.subpathsOfDirectory(atPath: place.path).reduce(0) { sum, file in
            let attributes = try FileManager.default.attributesOfItem(atPath: place.path + "/" + file)
            return attributes[.type] as? FileAttributeType == .typeRegular
                ? sum + (attributes[.size] as? Int ?? 0) : sum
        }
        #expect(abs(sizes.storeBytes - files) * 20 <= files, "\(sizes.storeBytes) of \(files)")
        #expect(sizes.overheads.contains { $0.name == "log/symbolNames" && $0.bytes > 0 })
        let before = sizes.amounts(by: \.type).first { $0.value == .text }
        try store.record(.deleted([.server("m0-19")], in: group, erases: true))
        let after = try store.sizes().amounts(by: \.type).first { $0.value == .text }
        #expect(after?.amount.records == before?.amount.records)
        try #expect(#require(after).amount.recordBytes < #require(before).amount.recordBytes)
        try store.close()
    }

    @Test("files count for the conversation, the month and the type of their message, as far as the store has it")
    func files() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let group = ConversationKey.group("photos")
        try store.record([
            .received(
                "m1", from: "bob", in: group, at: Timestamp(milliseconds: 1_700_000_000_000), content: .text("one")),
            Event(AttachmentStateChanged(.server("m1"), state: .available, byteCount: 5_000_000), in: group),
            Event(AttachmentStateChanged(.server("m9"), state: .available, byteCount: 7_000), in: group),
        ])
        let sums = try store.sizes().amounts { "\($0.month) \($0.type?.rawValue ?? "none")" }
        let text = try #require(sums.first { $0.value.hasSuffix(ContentType.text.rawValue) })
        #expect(text.value.hasPrefix("2023-11") && text.amount.files == 1 && text.amount.fileBytes == 5_000_000)
        try #expect(store.sizes().amounts { _ in 0 }.map(\.amount.files) == [2])
        try store.close()
    }
}
