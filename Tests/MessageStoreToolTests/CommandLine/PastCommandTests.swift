import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("messagestore's reading commands at a moment of the past", .tool, .timeLimit(.minutes(30)))
struct PastCommandTests {
    /// The time at which each event was recorded, and what every reading command said then; in a plain run of one of them.
    private let moments: [(time: Int64, answers: [[String]]?)]

    private static let commands = [
        ["conversations"], ["conversations", "--json"], ["messages", "g"], ["messages", "g", "--json"], ["unread"],
        ["unread", "--json"], ["profile", "bob"], ["profile", "bob", "--json"], ["rows"], ["rows", "unread"],
        ["rows", "unread", "--json"],
    ]

    init() throws {
        let key = ConversationKey.group("g")
        var time = Timestamp(milliseconds: 1_700_000_000_000)
        let events: [Event] = [
            .received("a", from: "bob", in: key, at: Timestamp(milliseconds: 5), content: .text("你好")),
            .received("b", from: "bob", in: key, at: Timestamp(milliseconds: 6), content: .text("还在吗？")),
            Event(ProfilesFetched([Profile(id: "bob", name: "小宝")])),
            Event(ConversationRead(), in: key),
            .received("c", from: "al", in: .single("al"), at: Timestamp(milliseconds: 7), content: .text("hi")),
            Event(MessagesDeleted([.server("a")]), in: key),
        ]
        var moments: [(Int64, [[String]]?)] = []
        for (index, event) in events.enumerated() {
            try place.record([event], from: time)
            let isAsked = TestSize.of(plain: index == 3, full: true)
            let answers = isAsked ? try Self.commands.map { [place] in try Self.answer($0, place, []) } : nil
            moments.append((time.milliseconds, answers))
            time = Timestamp(milliseconds: time.milliseconds + 1_500)
        }
        self.moments = moments
    }

    private static func answer(_ command: [String], _ place: ToolPlace, _ options: [String]) throws -> [String] {
        try place.run(command, options).succeeded().lines
    }

    @Test("every command answers as it did then, by position, by position from the end and by time")
    func past() throws {
        for (index, moment) in moments.enumerated() {
            guard let answers = moment.answers else { continue }
            let time = Timestamp(milliseconds: moment.time + 700).description
            for option in ["\(index + 1)", "\(index - moments.count)", time] {
                for (command, answer) in zip(Self.commands, answers) {
                    #expect(try Self.answer(command, place, ["--at", option]) == answer, "\(command) at \(option)")
                }
            }
            let digests = try place.run("replay", "--json", "--to", "\(index + 1)").object()["digests"]
            #expect(
                try place.run("replay", "--json", "--to", time).object()["digests"] as? [String: String]
                    == digests as? [String: String])
            let listed = try place.run("projections", "--json", "--at", time).objects().compactMap { $0["digest"] }
            #expect(Set(listed.map { "\($0)" }) == Set((digests as? [String: String])?.values.map { $0 } ?? []))
        }
    }

    @Test("before the first event nothing is there")
    func ends() throws {
        for moment in ["0", "-7", "1970-01-02", "2023-11-14T22:13:19.999Z"] {
            #expect(try place.run("unread", "--json", "--at", moment).object()["total"] as? Int == 0, "\(moment)")
            try place.run("messages", "g", "--at", moment).ended(2)
        }
    }
}
