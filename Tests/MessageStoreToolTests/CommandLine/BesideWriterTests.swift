import Foundation
import MessageStore
import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("messagestore beside a process that writes", .tool, .timeLimit(.minutes(30)))
struct BesideWriterTests {
    @Test("I2, I7: another process sees what is durable, in the journal or committed; then the store is whole")
    func durable() throws {
        var configuration = MessageStore.Configuration.ofTests
        configuration.durability.groupCommit.delay = .seconds(3600)
        let store = try MessageStore.open(place.store, account: "me", configuration: configuration)
        var count = 0
        for round in 0..<TestSize.of(plain: 4, full: 8) {
            // Rounds of some 60 to 700 KB: the journal's files fill, grow and are used again.
            let size = 300 * (1 + round % 4)
            try store.record(
                (0..<200 * (1 + round % 3)).map { number in
                    .received(
                        ServerMessageID("m\(count + number)"), from: UserID("user\(number % 9)"),
                        in: .group("g\(number % 30)"), at: Timestamp(milliseconds: Int64(count + number + 1)),
                        content: .text(String(repeating: "字", count: size / 3)))
                })
            count = Int(try store.lastPosition().rawValue)
            // Not durable, unless a full journal is being committed: then others see it as well.
            try store.record(
                Event(ConversationMuted(round.isMultiple(of: 2)), in: .group("g0")), acknowledgement: .visible)
            try place.run("stats", "--json").succeeded()
            let events = try place.run("log", "--from", "1", "--format", "tsv", "--fields", "position").lines
            #expect((count...count + 1).contains(events.count))
            #expect(events.compactMap { Int($0) } == Array(1...events.count))
            let totals = try place.run("unread", "--json").objects().first
            #expect(totals?["totalWithMuted"] as? Int == count - round)
            try store.waitUntilDurable()
            count += 1
        }
        #expect(try place.run("check").exitCode == 0 && place.run("verify").exitCode == 0)
        try place.run("rebuild").ended(3)
        // As a kill would leave it.
        let copy = place.store + "-copy"
        try FileManager.default.copyItem(atPath: place.store, toPath: copy)
        #expect(FileManager.default.fileExists(atPath: copy + "/log/journal-0"))
        try ToolRun(["verify", copy]).succeeded()
        try ToolRun(["check", copy]).succeeded()
        try store.close()
        try place.run("rebuild", "--json").succeeded()
        #expect(!FileManager.default.fileExists(atPath: place.store + "/log/journal-0"))
        #expect(try place.run("log", "--from", "1", "--format", "tsv", "--fields", "position").lines.count == count)
    }

    @Test("I10: check names a damaged journal, opening refuses it, and salvage reads past it")
    func damaged() throws {
        let copy = try crashed()
        try damage(2, in: copy)
        let check = try ToolRun(["check", copy]).ended(3)
        #expect(check.output.contains("journal") && check.output.contains("21"), "\(check.output)")
        try ToolRun(["log", copy]).ended(3, saying: "the journal lacks events")
        #expect(throws: StoreError.self) { try MessageStore.open(copy, account: "me", configuration: .ofTests) }
        let new = copy + "-new"
        try ToolRun(["salvage", copy, new]).ended(3)
        let salvaged = try MessageStore.openReadOnly(new, configuration: .ofTests)
        #expect(try salvaged.lastPosition() == Position(60))
        #expect(try salvaged.events(from: Position(21), limit: 10).allSatisfy { $0.event.type == .recordLost })
        #expect(try salvaged.read { try $0.unreadTotals().messages } == 50)
        try salvaged.close()
    }

    /// Six frames of ten messages each as a kill would leave them.
    private func crashed() throws -> String {
        let store = try MessageStore.open(place.store, account: "me", configuration: .ofTests)
        for number in 0..<6 {
            try store.record(
                (0..<10).map { index in
                    .received(
                        ServerMessageID("m\(number)-\(index)"), from: "ann", in: .group("g"),
                        at: Timestamp(milliseconds: Int64(10 * number + index + 1)), content: .text("hello"))
                })
        }
        let copy = place.store + "-copy"
        try FileManager.default.copyItem(atPath: place.store, toPath: copy)
        try store.close()
        return copy
    }

    /// Changes a bit of a frame of the journal.
    private func damage(_ frame: Int, in copy: String) throws {
        let journal = URL(fileURLWithPath: copy + "/log/journal-0")
        var bytes = try Data(contentsOf: journal)
        let frames = bytes.indices.filter { $0.isMultiple(of: 64) && bytes[$0...].starts(with: Data("\nMSJRNL1".utf8)) }
        try #require(frames.count == 6)
        bytes[frames[frame] + 100] ^= 1
        try bytes.write(to: journal)
    }

    /// The same with the first three frames in the log as well, and one of the frames damaged.
    private func crashed(damaging frame: Int) throws -> String {
        let copy = try crashed()
        let log = try EventLog(path: copy + "/log", configuration: .init(access: .readWrite, mapSize: 1 << 26))
        for frame in try JournalContent(in: copy + "/log", storeID: #require(log.owner().storeID)).frames.prefix(3) {
            try log.commit(frame.events)
        }
        try damage(frame, in: copy)
        return copy
    }

    @Test("I10: a damaged frame of events that the log has hides no later ones", arguments: 0..<3)
    func behindDamage(frame: Int) throws {
        let copy = try crashed(damaging: frame)
        #expect(try ToolRun(["log", copy, "--fields", "position"]).lines == (1...60).map(String.init))
        let export = try ToolRun(["export", copy]).succeeded()
        #expect(export.lines.count == 62, "\(export.errors)")
        let verify = try ToolRun(["verify", copy, "--json"])
        #expect(try verify.exitCode == 0 && verify.object()["position"] as? Int == 60, "\(verify.errors)")
        let check = try ToolRun(["check", copy, "--json"])
        #expect(try check.object()["scannedRecords"] as? Int == 60, "\(check.output)")
        #expect(try ToolRun(["unread", copy, "--json"]).object()["total"] as? Int == 60)
        // Nothing of it was changed by looking; the writer takes all.
        let store = try MessageStore.open(copy, account: "me", configuration: .ofTests)
        #expect(try store.lastPosition() == Position(60))
        try store.close()
    }

    @Test("I10: no command takes the log for whole where a frame is damaged that it needs", arguments: 3..<5)
    func neededFrame(frame: Int) throws {
        let copy = try crashed(damaging: frame)
        for command in ["check", "verify", "export", "log", "stats", "conversations"] {
            let run = try ToolRun([command, copy]).ended(3)
            #expect((run.output + run.errors).contains("journal"), "\(command): \(run.errors)")
        }
    }
}
