import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("messagestore replay --without, --set; diff --with", .tool, .timeLimit(.minutes(30)))
struct WhatIfCommandTests {
    private static let team = ConversationKey.group("team")
    private let place: ToolPlace

    private static func message(_ id: ServerMessageID, _ time: Int64, type: ContentType = .text) -> Event {
        .received(
            id, from: "bob", in: team, at: Timestamp(milliseconds: time),
            content: MessageContent(type: type, text: "secret"), origin: time < 20 ? .history : .live)
    }

    private static let upTo = MessageOrder(time: Timestamp(milliseconds: 30), id: "m3")
    private static let events = [
        message("m1", 10), message("m2", 20, type: .image), message("m3", 30),
        Event(UnreadCountReported(9, upTo: upTo, at: Timestamp(milliseconds: 31)), in: team, origin: .live),
        message("m4", 40),
    ]

    init() throws {
        place = try Self.place(Self.events)
    }

    private static func place(_ events: [Event]) throws -> ToolPlace {
        let place = try ToolPlace()
        try place.record(events) { $0.sync.countsHistoryAsUnread = true }
        return place
    }

    /// The parts of the conversation's unread row that differ.
    private func unread(_ options: String...) throws -> [[String: String]] {
        let run = try ToolRun(["replay", place.store, "--json"] + options).succeeded()
        #expect(!run.output.contains("secret"))
        return try run.objects().first { $0["table"] as? String == "unread" }?["parts"] as? [[String: String]] ?? []
    }

    @Test("without the server's report the messages themselves are counted")
    func without() throws {
        for item in ["4", "4-4", "UnreadCountReported"] {
            let parts = try unread("--without", item)
            #expect(parts.contains(["name": "count", "recorded": "1", "replayed": "4"]), "\(item)")
            #expect(parts.contains { $0["name"] == "reportedCount" && $0["recorded"] == "9" }, "\(item)")
        }
        #expect(try unread("--set", "unread-reports.apply=no") == unread("--without", "4"))
        #expect(try unread("--without", "4", "--to", "3").isEmpty)
        let text = try place.run("replay", "--without", "4").lines
        #expect(text.first?.hasSuffix("from what was recorded.") == true)
        #expect(text.contains("UnreadCounters") && text.contains("    count: 1 -> 4"))
    }

    @Test("a summary first: rows by table, the badge, each unread count; then the rows, of all projections or one")
    func summary() throws {
        let lines = try place.run("replay", "--without", "4").lines
        let rows = try #require(lines.firstIndex(of: "ConversationList"))
        #expect(
            lines[..<rows] == [
                "At 5: 3 rows differ from what was recorded.", "  ConversationList: conversations 1",
                "  UnreadCounters: unread 1, unreadTotals 1",
                "badge: 10 -> 4",
                "unread in group:team: 10 -> 4",
            ])
        let previews = try place.run("replay", "--set", "all.previews=no").lines
        #expect(previews.contains("The badge and all unread counts are the same."))
        #expect(
            try place.run("replay", "--without", "4", "--projection", "Members").lines
                == ["At 5: 0 rows differ from what was recorded."])
        let digests =
            try place.run("replay", "--projection", "Members", "--json").object()["digests"] as? [String: String]
        #expect(digests.map { Array($0.keys) } == ["Members"])
        for command in [["replay", place.store], ["diff", place.store, "1"], ["rebuild", place.store]] {
            try ToolRun(command + ["--projection", "Nothing"]).ended(2, saying: "there is no projection Nothing")
        }
    }

    @Test("rows and values of the store's bookkeeping are shown with --all alone")
    func bookkeeping() throws {
        let place = try Self.place(Self.events + [Event(ConversationDraftChanged("secret"), in: Self.team)])
        let (some, all) = (
            try place.run("replay", "--without", "6").lines, try place.run("replay", "--without", "6", "--all").lines
        )
        #expect(all.contains("    draftPosition: 6 -> 0") && !some.contains { $0.contains("draftPosition") })
        #expect(all.contains { $0.hasPrefix("  conversationOrder ") }, "\(all)")
        #expect(!some.contains { $0.hasPrefix("  conversationOrder ") } && some.contains { $0.contains("draftTime") })
    }

    @Test("other rules for what counts")
    func rules() throws {
        for (rule, count) in [
            ("origin.history.counts=no", 3), ("type.image.counts=no", 3), ("kind.group.counts=no", 0),
            ("kind.single.counts=no", 4), ("all.counts=no", 0), ("all.counts=yes", 4),
        ] {
            let part = try #require(try unread("--without", "4", "--set", rule).first { $0["name"] == "count" })
            // A conversation without anything unread has no row.
            #expect(part["replayed"] ?? "0" == "\(count)", "\(rule)")
        }
    }

    @Test("a rule for previews changes the list and no count, also for messages that only this device shows")
    func previews() throws {
        let tip = Event(
            MessageInsertedLocally(
                content: MessageContent(type: "tip", text: "secret"), time: Timestamp(milliseconds: 50)), in: Self.team)
        let withTip = try Self.place(Self.events + [tip])
        for (place, rule) in [(place, "all.previews=no"), (withTip, "type.tip.previews=no")] {
            let tables = try Set(place.run("replay", "--set", rule, "--json").values("table", as: String.self))
            #expect(tables.contains("conversations") && !tables.contains("unread"), "\(rule)")
        }
    }

    @Test("what is recorded stays as it is")
    func unchanged() throws {
        let before = try place.digests()
        _ = try unread("--without", "1-5")
        #expect(try place.digests() == before)
        try place.run("replay", "--without", "99").ended(2, saying: "the log ends at 5")
    }

    @Test("two stores: only what they show differently, whatever the order of their events")
    func twoStores() throws {
        let other = try Self.place(Self.events.reversed())
        #expect(try place.run("diff", "--with", other.store).lines == ["Both stores show the same."])
        let recall = Event(MessageRecalled(.server("m2")), in: Self.team, origin: .live)
        let third = try Self.place(Self.events.dropLast() + [recall])
        let run = try place.run("diff", "--with", third.store).succeeded()
        #expect(!run.output.contains("secret"))
        #expect(run.lines.prefix(2) == ["badge", "  badge: 10 | 9"])
        #expect(run.lines.contains("message m4 in group:team") && run.lines.contains("  there: yes | no"))
        #expect(run.lines.contains("message m2 in group:team") && run.lines.contains("  recalled: no | yes"))
        let json = try place.run("diff", "--with", third.store, "--json").objects()
        #expect(json[0]["name"] as? String == "badge" && json[0]["second"] as? Int == 9)
        try place.run("diff", "--with", place.store).ended(2, saying: "the same store")
    }

    @Test("two stores: chat rooms, conversations that are not listed, and messages that no server knows")
    func hiddenDifferences() throws {
        let room = ConversationKey.chatRoom("room")
        let local = (1...2).map { number in
            Event(
                MessageInsertedLocally(content: .text("secret \(number)"), time: Timestamp(milliseconds: 7)),
                in: Self.team)
        }
        let one = try Self.place(
            Self.events + local + [
                .received("r", from: "bob", in: room, at: Timestamp(milliseconds: 5), content: .text("secret")),
                .received(
                    "h", from: "bob", in: .group("hid"), at: Timestamp(milliseconds: 5), content: .text("secret")),
                Event(ConversationDeleted(), in: .group("hid")),
                Event(ConversationUpdated(ConversationFields(name: "a team's name")), in: Self.team),
            ])
        let other = try Self.place(local + Self.events)
        let run = try one.run("diff", "--with", other.store)
        #expect(run.lines.contains("conversation chatRoom:room") && run.lines.contains("conversation group:hid"))
        #expect(run.lines.contains("  name: 13 bytes | none"))
        #expect(!run.output.contains("message of") && !run.output.contains("secret"))
    }

    @Test("a digest of content says nothing but whether it is the same")
    func digests() throws {
        let other = try Self.place([
            .received("m1", from: "bob", in: Self.team, at: Timestamp(milliseconds: 10), content: .text("1234"))
        ])
        func content() throws -> String? {
            try place.run("diff", "--with", other.store).lines.first { $0.hasPrefix("  content: ") }
        }
        let first = try #require(try content())
        #expect(try content() != first)
    }
}
