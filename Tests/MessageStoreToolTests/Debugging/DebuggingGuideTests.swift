import ArgumentParser
import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("Docs/Debugging.md", .tool, .enabled(if: ToolRun.hostsExecutable != nil), .timeLimit(.minutes(30)))
struct DebuggingGuideTests {
    private static let bob = ConversationKey.single("bob")
    private static let hikers = ConversationKey.group("hikers")

    private let guide: DebuggingGuide

    init() throws {
        guide = try DebuggingGuide()
    }

    @Test("each command prints what the document shows, where it is run in order in a fresh clone")
    func commands() throws {
        let (files, directory) = (FileManager.default, place.logs.directory)
        let bin = directory.appendingPathComponent("bin")
        try files.createDirectory(at: bin, withIntermediateDirectories: false)
        let links = [
            (bin.appendingPathComponent("messagestore"), try #require(ToolRun.executable)),
            (bin.appendingPathComponent("hosttool"), try #require(ToolRun.hostsExecutable)),
            (directory.appendingPathComponent("Docs"), DebuggingGuide.root.appendingPathComponent("Docs")),
        ]
        for (link, target) in links { try files.createSymbolicLink(at: link, withDestinationURL: target) }
        let path = bin.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        let environment = ["PATH": path, "COLUMNS": "80", "TMPDIR": directory.path]
        let commands = guide.commands
        #expect(commands.count > 30)
        for command in commands {
            let run = try ToolRun(
                ["-c", command.text], of: URL(fileURLWithPath: "/bin/sh"), in: directory, environment: environment)
            // A terminal shows both; the words about the work come last. Work that takes long is told in any case.
            let words = run.errors.split(separator: "\n").filter { $0.hasPrefix("messagestore: ") }
            let output = ([run.output] + words.map { $0 + "\n" }).joined().trimmingCharacters(in: .newlines)
            #expect(output == command.output, "line \(command.line): \(command.text)")
            run.succeeded()
        }
    }

    @Test("each command of the table of questions is one that the tool takes, and the samples are compiled here")
    func questions() throws {
        #expect(guide.questions.count > 10)
        for arguments in guide.questions {
            #expect(throws: Never.self, "\(arguments)") { try RootCommand.parseAsRoot(arguments) }
        }
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("DebuggingSample.swift")
        let source = try String(contentsOf: file, encoding: .utf8)
        let samples = source.components(separatedBy: "// sample begins\n").dropFirst().compactMap {
            $0.components(separatedBy: "// sample ends\n").first
        }
        #expect(samples.count == 3 && samples.allSatisfy(guide.samples.contains))
    }

    private func imported(_ name: String) throws -> MessageStore {
        let file = DebuggingGuide.root.appendingPathComponent("Docs/Debugging/\(name).ndjson").path
        let path = place.logs.directory.path + "/" + name
        try ToolRun(["import", path, file, "--format", "events"]).succeeded()
        return try MessageStore.open(path, account: "alice")
    }

    @Test("the mend of the badge: a token makes both messages one, and a report or reading puts the count right")
    func badge() throws {
        let store = try imported("badge")
        let path = place.logs.directory.path + "/again"
        try copy(store, to: path) { recorded in
            var event = recorded.event
            guard var message = event.payload as? MessageReceived, message.serverID.rawValue.hasPrefix("b1") else {
                return [event]
            }
            message.clientToken = "lend"
            event.payload = message
            return [event]
        }
        let again = try MessageStore.open(path, account: "alice")
        let shown = try again.read { try $0.timeline(of: Self.bob, limit: 10).elements.map(\.serverID) }
        #expect(shown == ["b2"])
        let badge = { try again.read { try $0.unreadTotals().badge } }
        #expect(try badge() == 6)
        let upTo = MessageOrder(time: Timestamp(milliseconds: 1_795_170_779_600), id: "h5")
        try again.record(
            .unreadCountReported(2, upTo: upTo, in: Self.hikers, at: Timestamp(milliseconds: 1_795_174_000_000)))
        #expect(try badge() == 4)
        try again.record(Event(ConversationRead(), in: Self.hikers))
        #expect(try badge() == 1)
        try again.close()
        try store.close()
    }

    @Test("the mend of the times: what the transform shows is what the new store has")
    func times() throws {
        let store = try imported("seconds")
        let path = place.logs.directory.path + "/mended"
        try copy(store, to: path, transform: inMilliseconds)
        let mended = try MessageStore.open(path, account: "alice")
        let last = try store.lastPosition()
        let session = try store.replaySession(transform: inMilliseconds)
        for views in [
            try session.read(at: last, Self.shown), try mended.read(Self.shown),
        ] { #expect(views == ["b1", "b2", "b3", "2 unread", "badge 4"]) }
        #expect(try store.read(Self.shown) == ["b2", "b3", "b1", "0 unread", "badge 1"])
        #expect(try mended.events().map(\.recordedTime) == store.events().map(\.recordedTime))
        let changes = try unreadChanges(of: Self.bob, in: store, transform: inMilliseconds)
        #expect(changes.map(\.position.rawValue) == [5, 8, 9] && changes.map(\.after) == [0, 1, 2])
        #expect(try unreadChanges(of: Self.bob, in: store).map(\.position.rawValue) == [4, 5])
        let again = Event.received(
            "b2", from: "bob", in: Self.bob, at: Timestamp(milliseconds: 1_795_284_000_000), content: .text("again"))
        try store.record(again)
        #expect(try store.read(Self.shown) == ["b2", "b3", "b1", "0 unread", "badge 1"])
        try mended.close()
        try store.close()
    }

    @Test("an event that came late, moved before the newer one, no longer undoes it")
    func moved() throws {
        let store = try imported("garden")
        let garden = ConversationKey.group("Garden")
        let carla = { (views: borrowing Views) in try views.members(in: garden).elements.contains { $0.id == "carla" } }
        #expect(try !store.read(carla))
        let path = place.logs.directory.path + "/moved"
        try copy(store, to: path, transform: moving(Position(15), before: Position(14), in: store))
        let mended = try MessageStore.open(path, account: "alice")
        #expect(try mended.read(carla))
        #expect(try mended.lastPosition() == store.lastPosition())
        #expect(
            try mended.events(from: Position(14), to: Position(15)).map(\.event.type) == [
                .membersRemoved, .membersAdded,
            ])
        try mended.close()
        try store.close()
    }

    private static func shown(_ views: borrowing Views) throws -> [String] {
        try views.timeline(of: bob, limit: 10).elements.map { $0.serverID?.rawValue ?? "" } + [
            "\(views.unread(of: bob).messages) unread", "badge \(views.unreadTotals().badge)",
        ]
    }
}
