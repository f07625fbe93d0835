import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("messagestore doctor", .tool, .timeLimit(.minutes(30)))
struct DoctorCommandTests {
    private static let team = ConversationKey.group("团 队")
    private static let start: Int64 = 1_700_000_000_000
    private static func message(_ id: ServerMessageID, at time: Int64, _ text: String = "secret") -> Event {
        .received(id, from: "bob", in: team, at: Timestamp(milliseconds: time), content: .text(text))
    }

    /// Records each event as a commit of its own, an hour after the one before it.
    private func record(_ events: [Event]) throws {
        try place.record(events, from: Timestamp(milliseconds: Self.start), every: 3_600_000) {
            $0.sync.allowsTimesInSeconds = true
        }
    }

    @Test("a sound log has nothing suspicious")
    func sound() throws {
        try record([Self.message("m1", at: Self.start), Event(ConversationRead(), in: Self.team)])
        let lines = try place.run("doctor", "--without-effect").lines
        #expect(lines.first == "Nothing suspicious." && lines.count == 2)
        for symptom in Symptom.allCases { #expect(lines.last?.contains(symptom.title) == true) }
        #expect(
            try place.run("doctor", "--quick", "--without-effect").lines.last?.contains(Symptom.noEffect.title) == false
        )
        #expect(try place.findings().isEmpty)
    }

    @Test("each kind of symptom, with the positions and the command that looks closer")
    func symptoms() throws {
        let upTo = MessageOrder(time: Timestamp(milliseconds: Self.start), id: "m1")
        try record(
            [
                Self.message("m1", at: Self.start), Self.message("m1-again", at: Self.start),
                Self.message("m2", at: Self.start / 1000), Self.message("m3", at: Self.start + 30 * 86_400_000),
                Event(OfflineSyncStarted()), Event(OfflineSyncStarted()),
                .unreadCountReported(9, upTo: upTo, in: Self.team, at: Timestamp(milliseconds: Self.start + 1)),
                .queued(.text("secret"), in: Self.team, clientToken: "t"),
                Event(MessageRecalled(.server("never")), in: Self.team, origin: .live),
                Event(
                    any: UnknownEvent(type: EventType(rawValue: 0xFEDC), schemaVersion: 1, fields: [], content: []),
                    in: Self.team),
                Event(ConversationMuted(false), in: Self.team),
            ] + (0..<30).map { Self.message("later\($0)", at: Self.start + Int64($0) * 3_600_000, "\($0)") })
        let found = try place.findings()
        let positions: [Symptom: [Int]] = [
            .repeats: [2], .seconds: [3], .future: [4], .sync: [5, 6], .outbox: [8], .unknown: [10], .noEffect: [11],
        ]
        for (symptom, expected) in positions { #expect(found[symptom]?.positions == expected, "\(symptom)") }
        #expect(found[.serverCount]?.count == 1)
        #expect(found[.waiting]?.notes.first == "never")
        #expect(try place.findings("--quick")[.noEffect] == nil)
        #expect(try place.run("doctor").lines.contains("times that look like seconds, where milliseconds belong: 1"))
        let repeats = try #require(found[.repeats]).command
        #expect(repeats == "messagestore why \(place.store) message local:2")
        #expect(found[.serverCount]?.command == "messagestore why \(place.store) unread 'group:团 队'")
        let text = try place.run("doctor", "-n", "1").lines
        #expect(text.contains(Symptom.sync.words + ": 2") && text.contains("    and 1 more"))
        #expect(text.contains("    look closer: \(repeats)"))
    }

    @Test("an id that a server made up is one word for a shell, whatever is in it")
    func quoting() throws {
        for id in ["x'\u{301}; echo INJECTED; '\u{301}", "a b", "$(echo INJECTED)", "'", "\u{D4E}'"] {
            let command = Symptom.gaps.command("store", Finding(in: .group(id)))
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "messagestore() { printf '%s' \"$3\"; }; " + command]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            #expect(Array(output) == Array(ConversationKey.group(id).description.utf8), "\(id)")
        }
    }

    @Test("events without effect are those by which no row changes", arguments: [1, 2] as [UInt64])
    func noEffect(seed: UInt64) throws {
        var random = RandomEvents(seed: seed)
        let store = try MessageStore.open(place.store, account: RandomEvents.account, configuration: .ofTests)
        while try store.lastPosition().rawValue < 250 {
            try store.record(random.nextBatch(after: store.lastPosition()))
        }
        let session = try store.replaySession()
        var expected: [Int] = []
        var choices: Set<Int> = []
        try store.forEachEvent { event in
            let threads = (event.event.payload as? ConversationDraftChanged)?.thread != nil
            if threads || event.event.payload is ConversationFolderChanged {
                choices.insert(Int(event.position.rawValue))
            }
            guard !MessageNames.messages.contains(event.event.type), !(event.event.payload is UnknownEvent) else {
                return true
            }
            expected.append(Int(event.position.rawValue))
            return true
        }
        expected = try expected.filter { position in
            let changes = try session.changes(
                from: Position(UInt64(position - 1)), to: Position(UInt64(position))
            ).changes
            // Folders and drafts of threads are rows of `settingTimes`, of which the others are shown by no query.
            return changes.allSatisfy { change in
                ["identities", "timelineEvents"].contains(change.table)
                    || change.table == "settingTimes" && !choices.contains(position)
            }
        }
        try store.close()
        let all = try place.findings("-n", "1000")
        // What lost by a clock is a finding of its own.
        let lost = all[.lostChoice]?.positions ?? []
        expected.removeAll { lost.contains($0) }
        #expect(!expected.isEmpty)
        let found = all[.noEffect] ?? DoctorFinding()
        #expect(found.positions.sorted() == expected && found.count == expected.count, "seed \(seed)")
    }
}
