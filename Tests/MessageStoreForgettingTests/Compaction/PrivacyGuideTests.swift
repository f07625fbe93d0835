import Foundation
import MessageStore
import MessageStoreTestKit
import Testing
@testable import MessageStoreTestSupport

@Suite("Privacy guide", .timeLimit(.minutes(30)))
struct PrivacyGuideTests {
    @Test("the sample of the guide is the one that is compiled and run here")
    func sample() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try store.record(received("m1", at: 1), received("a1", at: 1, from: "eve", in: .group("archive")))
        try Self.run(store, place.directory)
        let restored = try MessageStore.open(place.directory + "/restored", account: TemporaryStore.account)
        #expect(try restored.texts(of: .group("g")).contains("later"))
        try restored.close()
        try store.close()

        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let guide = try String(
            contentsOf: URL(fileURLWithPath: #filePath + "/../../../../Docs/Privacy.md").standardized, encoding: .utf8)
        let lines = try #require(source.components(separatedBy: "// sample begins\n").last)
        let sample = try #require(lines.components(separatedBy: "        // sample ends").first)
        let unindented = sample.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.hasPrefix("        ") ? $0.dropFirst(8) : $0
        }
        #expect(guide.contains("```swift\n" + unindented.joined(separator: "\n") + "```"))
    }

    private static func run(_ store: MessageStore, _ directory: String) throws {
        // sample begins
        // A user: profile, names, words and id. Blocks until no answer has them.
        try store.erase(.users(["bob"], alsoMessages: true), alsoIDs: true)

        // At most 10,000 messages of each conversation, none older than a year; one conversation is spared.
        var policy = RetentionPolicy()
        policy.standard = .init(age: .seconds(365 * 86_400), messages: 10_000, lowWaterMark: 9_000)
        policy.conversations[.group("archive")] = .unlimited
        let planned = try store.retain(policy, isDryRun: true)
        if planned.messageCount > 0 { try store.retain(policy) }

        // The bytes leave the files.
        let report = try store.compact()
        print(report.bytesBefore, report.bytesAfter, report.cutEvents, report.isErasureComplete)

        // A backup, and later the events recorded since.
        let last = try store.backup(to: directory + "/backup")
        try store.record(.received("m9", from: "eve", in: .group("g"), at: .unknown, content: .text("later")))
        try store.writeSegment(after: last, to: directory + "/segment")

        // A new store from both, without the values erased since.
        let ledger = try ErasureLedger(json: store.erasureLedger().json)
        try MessageStore.restoreBackup(
            from: directory + "/backup", segments: [directory + "/segment"],
            to: directory + "/restored", applying: ledger)
        // sample ends
    }
}
