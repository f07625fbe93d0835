import Foundation
import MessageStore
import MessageStoreSearch
import MessageStoreSharing
import MessageStoreShipping
import Testing

@testable import MessageStoreTestSupport

/// A store with many rows in every table that holds what people wrote or names, and all kinds of files that a store makes.
struct FilledScene {
    static let word = "Qz4filledZq4"
    static let key = Array("the host's key of a filled store".utf8)
    static let account = UserID("account-\(word)")
    static let room = ConversationKey(.chatRoom, "room-\(word)")
    /// So many rows of a table have enough bytes to be compared.
    private static let count = 100

    let place: TemporaryStore
    private let key: KeySource?

    /// - Parameter isSealed: Whether the store has a key.
    init(isSealed: Bool) throws {
        place = try TemporaryStore()
        key = isSealed ? KeySource { Self.key } : nil
    }

    private func path(_ name: String) -> String { place.directory + "/" + name }

    private func open() throws -> MessageStore {
        try place.open(account: Self.account) {
            $0.privacy.key = key
            $0.projections = [Stars()]
            $0.laggingProjections = [SearchIndex()]
            $0.processes.inboxPath = path("inbox")
            $0.processes.lens = LensConfiguration(path: path("lens"))
            $0.automaticCompaction = nil
        }
    }

    /// Makes all files; nobody has the store open afterwards.
    func fill() async throws {
        let store = try record()
        let carrier = try FolderCarrier(path("place"), objectSize: 256 << 10)
        try await LogShipper(of: store, to: carrier).ship()
        try writeLast(store)
        try await LogShipper(of: store, to: carrier).ship()
        try Self.close(store)
        // A store that is open would record it.
        try Inbox(at: path("inbox"), account: Self.account, key: key).handOver([Self.message(count: 1000)])
        try restoreBase()
    }

    private static func close(_ store: MessageStore) throws { try store.close() }

    private func record() throws -> MessageStore {
        let store = try open()
        try store.record(TableRows.events)
        try store.record(TableRows.laterEvents)
        for number in 0..<Self.count { try store.record(Self.events(number)) }
        // Some records are cut off, and a content is redacted.
        let cleared = ConversationKey.group("cleared-\(Self.word)")
        try store.record((0..<5).map { received("cleared-\($0)", at: 10, in: cleared) })
        try store.record(Event(HistoryCleared(erases: true), in: cleared))
        let redacted = try #require(try store.record(Self.message(count: 999)).position)
        try store.redact(redacted)
        for number in 0..<Self.count { try store.subscribe(TestSubscriber("s-\(Self.word)-\(number)")).cancel() }
        try store.catchUp(SearchIndex.id)
        let report = try store.compact()
        #expect(report.cutEvents > 0 && report.isErasureComplete)
        return store
    }

    /// Writes a segment and a backup, and a journal that nobody commits, in a copy of the directory.
    private func writeLast(_ store: MessageStore) throws {
        let last = try store.lastPosition()
        for number in 500..<510 { try store.record(Self.message(count: number)) }
        try FileManager.default.copyItem(atPath: place.path, toPath: path("live"))
        #expect(FileManager.default.fileExists(atPath: path("live/log/journal-0")))
        try store.writeSegment(after: last, to: path("segment"))
        try store.backup(to: path("backup"))
    }

    /// Puts the pieces of the shipped base together.
    private func restoreBase() throws {
        struct Manifest: Decodable {
            struct File: Decodable {
                let path: String
                let size: Int
            }

            let files: [File]
            let pieces: [String]
        }
        let names = FileManager.default.enumerator(atPath: path("place"))?.compactMap { $0 as? String } ?? []
        for name in names where name.hasSuffix("/manifest") {
            let directory = path("place/" + name.dropLast("manifest".count))
            let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path("place/" + name))))
            let object = try JSONSerialization.data(withJSONObject: StoredBytes.json(bytes))
            let manifest = try JSONDecoder().decode(Manifest.self, from: object)
            var rest = Data()
            for index in manifest.pieces.indices {
                let digits = String(index)
                let piece = String(repeating: "0", count: 20 - digits.count) + digits
                rest += try Data(contentsOf: URL(fileURLWithPath: directory + piece))
            }
            for file in manifest.files {
                let url = URL(fileURLWithPath: path("base/" + file.path))
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(rest.prefix(file.size)).write(to: url)
                rest = Data(rest.dropFirst(file.size))
            }
            #expect(rest.isEmpty && !manifest.files.isEmpty)
        }
    }
}

extension FilledScene {
    /// The words that have to be in no file of a sealed store.
    static var words: [[UInt8]] { [Array(word.utf8), key] }

    private static func message(count number: Int) -> Event {
        .received(
            ServerMessageID("m-\(number)"), from: UserID("u-\(word)-\(number)"), in: .group("g-\(word)-\(number)"),
            at: ms(Int64(1_700_000_000_000 + number)),
            content: MessageContent(
                type: ContentType("type-\(word)-\(number)"), text: "\(word) 你好 \(number)", data: Array(word.utf8)))
    }

    /// Events that leave a row in each table that holds what people wrote or names.
    private static func events(_ number: Int) -> [Event] {
        let (group, user) = (ConversationKey.group("g-\(word)-\(number)"), UserID("u-\(word)-\(number)"))
        let (message, time) = (MessageReference.server("m-\(number)"), ms(Int64(1_700_000_000_000 + number)))
        let fields = ConversationFields(
            name: "name \(word) \(number)",
            attributes: Array(#"{"k\#(word)":"v\#(word)","level":\#(number)}"#.utf8))
        let inGroup: [any ConversationPayload] = [
            ConversationCreated(fields, members: [user]), MemberInfoChanged(user, nickname: "nick \(word) \(number)"),
            ConversationTagged(add: ["tag-\(word)-\(number)"], at: time),
            ReactionAdded(message, key: "⭐", by: user, at: time),
            ReactionAdded(message, key: "\(word)👍", by: user, at: time),
            MessageMetadataChanged(message, set: ["k\(word)": "v\(word)"], at: time),
            ConversationDraftChanged("draft \(word)", at: time),
        ]
        let ofAccount: [any AccountPayload] = [
            ProfilesFetched([Profile(id: user, name: "name \(word) \(number)")]),
            TeamInfoFetched([TeamInfo(id: group, name: "team \(word) \(number)")]),
            ContactsReceived([ContactInfo(id: user, remark: "remark \(word) \(number)")]),
            SyncCursorAdvanced(name: "c-\(word)-\(number)", value: Array("v\(word)".utf8)),
        ]
        return [self.message(count: number)] + inGroup.map { Event($0, in: group) } + ofAccount.map { Event($0) } + [
            Event(ChatRoomEntriesChanged(set: ["k-\(word)-\(number)": "v\(word)"]), in: room)
        ]
    }
}
