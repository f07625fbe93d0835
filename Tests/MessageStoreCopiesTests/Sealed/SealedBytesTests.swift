import Foundation
import MessageStore
import Testing

@testable import MessageStoreTestSupport

@Suite("The bytes of sealed stores", .enabled(if: TemporaryStore.canSeal), .timeLimit(.minutes(30)))
struct SealedBytesTests {
    private static func bytes(isSealed: Bool) async throws -> StoredBytes {
        let scene = try FilledScene(isSealed: isSealed)
        try await scene.fill()
        return try StoredBytes(below: scene.place.directory, words: FilledScene.words)
    }

    /// The tables and files whose bytes are hidden, of which there are many.
    private static let hidden: Set = [
        "log/records", "log/symbolNames", "log/symbolNumbers", "log/symbolNumbers keys", "log/subscriptions",
        "log/subscriptions keys",
        "views/conversationInfo", "views/members", "views/meta", "views/profiles", "views/profiles keys",
        "views/teams", "views/teams keys", "views/contacts", "views/contacts keys", "views/settingTimes",
        "views/settingTimes keys", "views/chatRoomEntries", "views/chatRoomEntries keys", "views/conversationIndex",
        "views/conversationIndex keys", "views/conversationNumbers", "views/conversationNumbers keys",
        "views/syncCursors", "views/syncCursors keys", "views/messageDetails", "views/messageDetails keys",
        "views/com.example.stars/messages", "views/com.example.stars/messages keys",
        "views/com.example.stars/by-time", "views/com.example.stars/by-time keys",
        "views/com.example.stars/counts", "views/com.example.stars/counts keys",
        "lagging/rows", "journal", "segment", "lens", "place/page", "place/segments",
    ]

    /// Others of which there are few bytes, each of them looked at by itself.
    private static let few: Set = ["lagging/rows keys", "keys.json", "place/manifest", "inbox/new"]

    @Test(
        "every sealed byte looks like a random one, every table and file is in a list, and no file has a word or the key"
    )
    func sealed() async throws {
        let bytes = try await Self.bytes(isSealed: true)
        for (name, problems) in bytes.problems { Issue.record("\(name): \(problems.sorted())") }
        #expect(bytes.notRandom.subtracting(bytes.few).sorted() == [])
        // All kinds were met, and there are enough bytes of them.
        let enough = Set(bytes.sealed.keys).subtracting(bytes.few)
        #expect(Self.hidden.subtracting(enough).sorted() == [])
        #expect(bytes.few.subtracting(Self.few).sorted() == [])
        let tables = Set(
            TableForm.log.keys.map { "log/" + $0 } + TableForm.views.keys.map { "views/" + $0 }
                + TableForm.lagging.keys.map { "lagging/" + $0 })
        #expect(tables.subtracting(bytes.met).sorted() == [])
    }

    @Test("without a key, no table with words and no such file looks random, and each kind of files has the words")
    func clear() async throws {
        let bytes = try await Self.bytes(isSealed: false)
        let random = Self.hidden.filter { name in
            guard let found = bytes.sealed[name], found.count >= RandomBytes.leastCount else { return false }
            return RandomBytes.isRandom(found)
        }
        #expect(random.sorted() == [])
        // Rows of some tables are their keys alone.
        func tables(_ names: some Sequence<String>) -> Set<String> {
            Set(names.map { $0.hasSuffix(" keys") ? String($0.dropLast(5)) : $0 })
        }
        let shown = tables(bytes.sealed.filter { !$0.value.isEmpty }.keys)
        #expect(tables(Self.hidden).subtracting(shown).sorted() == [])
        let files = [
            "log/data.mdb", "views/data.mdb", "log/journal-0", "segment", "lens", "inbox/new", "place/page",
            "place/segments", "place/piece",
        ]
        for file in files { #expect(bytes.problems[file]?.contains("a word is in the file") == true, "\(file)") }
    }

    @Test("the comparison takes random bytes, and no text, no numbers and no sealed bytes with some text among them")
    func comparison() {
        var random = SplitMix64(seed: 1)
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
        for count in [1280, 2000, 10_000] {
            for _ in 0..<20 {
                let bytes = bytes(count)
                #expect(RandomBytes.isRandom(bytes))
                #expect(!RandomBytes.isPlain(bytes.prefix(64)))
            }
        }
        let text = Array("a text as people write it, with words and numbers such as 1234. ".utf8)
        let texts = (0..<1280).map { text[$0 % text.count] }
        #expect(!RandomBytes.isRandom(texts) && RandomBytes.isPlain(texts))
        let numbers = (0..<320).flatMap { number in withUnsafeBytes(of: UInt32(number).littleEndian) { [UInt8]($0) } }
        #expect(!RandomBytes.isRandom(numbers) && RandomBytes.isPlain(numbers))
        #expect(!RandomBytes.isRandom(bytes(3 * 1280) + texts))
        #expect(RandomBytes.isPlain(bytes(100) + [UInt8](repeating: 7, count: 8)))
    }
}
