import MessageStore
import Testing

@testable import MessageStoreTool

/// What the commands say of markers and of choices that lost, on small broken logs.
@Suite("Causes: markers, and events without effect", .tool, .timeLimit(.minutes(30)))
struct CauseTests {
    private static let lin = ConversationKey.single("lin")
    private static let team = ConversationKey.group("Team")
    private static let start: Int64 = 1_795_000_000_000
    private static func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: start + seconds * 1000) }

    /// Records each event as a commit of its own, a minute after the one before it; the first at the start.
    private func record(_ events: [Event]) throws { try place.record(events, from: Self.time(0)) }

    private func lines(_ arguments: [String]) throws -> [String] {
        let run = try place.run(arguments).succeeded()
        return run.lines.map { $0.split(separator: " ").joined(separator: " ") }
    }

    private static let cause =
        "by the read marker of 3: lin read up to \(time(72_000)), 19 h 58 min after it was recorded"

    @Test("why, watch and diff credit the marker, not the acknowledgement; log --message lists it")
    func marker() throws {
        // Lin's client says "up to now" by a clock that is 20 hours ahead, before the message is sent.
        try record([
            .queued(.text("secret"), in: Self.lin, clientToken: "a"),
            .sent(LocalMessageID(1), as: "s1", in: Self.lin, at: Self.time(1)),
            .readByPeer(.upTo(Self.time(72_000)), by: "lin", in: Self.lin, at: Self.time(120)),
            .queued(.text("secret"), in: Self.lin, clientToken: "b"),
            .readByPeer(.upTo(Self.time(190)), by: "lin", in: Self.lin, at: Self.time(240)),
            .sent(LocalMessageID(4), as: "s4", in: Self.lin, at: Self.time(300)),
        ])
        let why = try lines(["why", "message", "s4"])
        let change = try #require(why.firstIndex(of: "status: sending -> read"))
        #expect(why[(change + 1)...].contains(Self.cause))
        #expect(why.contains("It is read \(Self.cause)."))
        #expect(try lines(["why", "message", "s1"]).contains("It is read \(Self.cause)."))
        #expect(try !lines(["why", "message", "s4", "--at", "5"]).contains { $0.contains("marker of") })
        let watch = try lines(["watch", "status(s4) == read"])
        #expect(watch.count == 3 && watch[1] == Self.cause && watch[2].contains("MessageSent"))
        let diff = try lines(["diff", "6"])
        #expect(diff.last == "the message is shown as read, \(Self.cause)")
        // The first marker of each member that covers the message, and the account's own.
        #expect(try place.logged("--message", "s1") == [1, 2, 3] && place.logged("--message", "s4") == [3, 4, 6])
    }

    @Test("a receipt that names the message is the cause itself; a message without one has none")
    func named() throws {
        try record([
            .queued(.text("secret"), in: Self.lin, clientToken: "a"),
            .sent(LocalMessageID(1), as: "s1", in: Self.lin, at: Self.time(1)),
            .readByPeer(.messages([.server("s1")]), by: "lin", in: Self.lin, at: Self.time(120)),
            .readByPeer(.upTo(Self.time(190)), by: "ann", in: Self.lin, at: Self.time(240)),
        ])
        #expect(try !lines(["why", "message", "s1"]).contains { $0.contains("marker of") })
        #expect(try lines(["watch", "status(s1) == read"]).count == 2)
    }

    @Test("log --message of a message from somebody else lists the read marker that covers it")
    func ownMarker() throws {
        try record([
            .received("b1", from: "bob", in: Self.team, at: Self.time(0), content: .text("secret")),
            .received("b2", from: "bob", in: Self.team, at: Self.time(60), content: .text("secret 2")),
            .read(upTo: MessageOrder(time: Self.time(0), id: "b1"), in: Self.team, origin: .otherDevice),
            .read(upTo: MessageOrder(time: Self.time(60), id: "b2"), in: Self.team, origin: .otherDevice),
            .read(upTo: MessageOrder(time: Self.time(90)), in: Self.team, origin: .otherDevice),
        ])
        #expect(try place.logged("--message", "b2") == [2, 4])
    }

    @Test(
        "log --message lists the markers of a thread, of the server's list and of its counts, and those of all that is known"
    )
    func otherMarkers() throws {
        let upTo = MessageOrder(time: Self.time(61))
        let payloads: [(any EventPayload, covers: Bool)] = [
            (ThreadRead("b1", upTo: upTo), true), (ThreadRead("b9", upTo: upTo), false),
            (ConversationSummaryReceived(readUpTo: MessageOrder(time: Self.time(30))), false),
            (ConversationSummaryReceived(readUpTo: upTo), true), (UnreadCountReported(2, upTo: upTo), false),
            (UnreadCountReported(0, upTo: upTo), true), (ConversationRead(), true),
        ]
        // A conversation for each, since what reads no further covers nothing more.
        for (index, (payload, covers)) in payloads.enumerated() {
            let key = ConversationKey.group("Team \(index)")
            try record([
                .received("b1", from: "bob", in: key, at: Self.time(0), content: .text("secret")),
                .received(
                    "b2", from: "bob", in: key, at: Self.time(60), content: .text("secret 2"),
                    context: MessageContext(replyTo: "b1")),
                Event(any: payload, in: key, origin: .otherDevice),
            ])
            let (first, logged) = (index * 3 + 1, try place.logged("--message", "b2", "--conversation", key.id))
            #expect(logged == [first + 1] + (covers ? [first + 2] : []), "\(payload)")
        }
    }

    /// The laptop's clock is three hours behind: its unmuting loses against what the tablet chose before.
    private func recordMute() throws {
        func choice(_ payload: any EventPayload, _ device: DeviceID) -> Event {
            Event(any: payload, in: Self.team, origin: .otherDevice, device: device)
        }
        try record([
            .received("b1", from: "bob", in: Self.team, at: Self.time(0), content: .text("secret")),
            choice(ConversationMuted(true, at: Self.time(60)), "tablet"),
            choice(ConversationMuted(false, at: Self.time(120 - 10_800)), "laptop"),
            choice(MemberInfoChanged("bob", nickname: "Newer", at: Self.time(180)), "tablet"),
            choice(MemberInfoChanged("bob", nickname: "Older", at: Self.time(100)), "laptop"),
            .membersAdded(["bob"], to: Self.team),
        ])
    }

    private static let lost =
        "2 set the same setting, with a later time: \(time(60)) > \(time(120 - 10_800)), which is 3 h 00 min before 3 was recorded"

    @Test("an event that lost says against what: in diff, why, log and on the page")
    func lost() async throws {
        try recordMute()
        #expect(try lines(["diff", "3"]).last == "3 changed nothing: \(Self.lost)")
        let why = try lines(["why", "conversation", "Team"])
        let start = try #require(why.firstIndex(of: "Events that name it and changed nothing:"))
        #expect(why[start + 1].hasPrefix("3 ") && why[start + 2] == Self.lost)
        let log = try lines(["log", "--type", "ConversationMuted"])
        #expect(log.count == 3 && log[2] == "lost: \(Self.lost)")
        #expect(try lines(["log", "--from", "3", "--to", "3"]).last == "lost: \(Self.lost)")
        let store = try MessageStore.openReadOnly(place.store, configuration: .ofTests)
        let session = try DebugSession(store)
        let question = try DebugState.Question(
            DebugRequest(method: "GET", host: nil, path: ["state"], parameters: ["at": "3"]))
        #expect(try await session.state(question) == nil, "it is folded first")
        await session.settle()
        let state = try await session.state(question)
        #expect(state?.changes.notes == ["3 changed nothing: \(Self.lost)"])
        await session.close()
    }

    @Test("other events without effect say why as well")
    func reasons() throws {
        try record([
            .received("b1", from: "bob", in: Self.team, at: Self.time(0), content: .text("secret")),
            .membersAdded(["ann"], to: Self.team),
            .membersAdded(["ann"], to: Self.team),
            Event(ConversationRead(upTo: MessageOrder(time: Self.time(0), id: "b1")), in: Self.team),
            Event(ConversationRead(upTo: MessageOrder(time: Self.time(-5))), in: Self.team),
            .modified(.server("b1"), content: .text("new"), in: Self.team, at: Self.time(9), origin: .live),
            .modified(.server("b1"), content: .text("old"), in: Self.team, at: Self.time(8), origin: .live),
            .recalled(.server("b9"), in: Self.team, origin: .live),
            Event(ConversationMuted(true, at: Self.time(90_000)), in: Self.team, origin: .otherDevice),
        ])
        #expect(try lines(["diff", "3"]).last?.hasPrefix("3 changed nothing: 2 said the same, and ") == true)
        #expect(try lines(["diff", "5"]).last == "5 changed nothing: the read marker was there or above already")
        let edit = try lines(["diff", "7"])
        #expect(
            edit.last?.hasPrefix("7 does not hold: 6 edited the same message, with a later time") == true, "\(edit)")
        #expect(try !lines(["diff", "6"]).contains { $0.contains("changed nothing") })
        #expect(try lines(["diff", "8"]).last == "8 waits for a message that has not arrived")
        let (counted, told) = (Self.time(480 + 86_400), Self.time(90_000))
        #expect(
            try lines(["diff", "9"]).last == "9 counts as of \(counted), a day after it was recorded: \(told) is later")
    }

    @Test("a timer that lost says against what; the timer that holds and when a message disappears are facts")
    func timer() throws {
        func timer(_ seconds: UInt32, at time: Timestamp, _ device: DeviceID) -> Event {
            Event(
                any: ConversationTimerChanged(MessageTimer(seconds: seconds), at: time), in: Self.team,
                origin: .otherDevice, device: device)
        }
        try record([
            .received("b1", from: "bob", in: Self.team, at: Self.time(0), content: .text("secret")),
            timer(3600, at: Self.time(60), "tablet"), timer(60, at: Self.time(30), "laptop"),
            .received("b2", from: "bob", in: Self.team, at: Self.time(180), content: .text("secret 2")),
        ])
        let lost =
            "2 set the same setting, with a later time: \(Self.time(60)) > \(Self.time(30)), which is 1 min 30 s before 3 was recorded"
        #expect(try lines(["diff", "3"]).last == "3 changed nothing: \(lost)")
        #expect(try lines(["log", "--from", "3", "--to", "3"]).last == "lost: \(lost)")
        let conversation = try lines(["why", "conversation", "Team"])
        #expect(conversation.contains("timer 1 h 00 min from sending by 2 ConversationTimerChanged"), "\(conversation)")
        #expect(conversation.contains("timer: none -> 1 h 00 min from sending") && conversation.last == lost)
        let message = try lines(["why", "message", "b2"])
        #expect(message.contains("disappears \(Self.time(180 + 3600)) by 4 MessageReceived"), "\(message)")
        #expect(try !lines(["why", "message", "b1"]).contains { $0.hasPrefix("disappears") })
    }

    @Test("why member: nickname and role follow the choice's time, not the order of recording")
    func member() throws {
        try recordMute()
        let lines = try lines(["why", "member", "Team", "bob"])
        #expect(lines.contains { $0.hasPrefix("nickname Newer by ") } && !lines.contains("Rule:"))
        #expect(lines.last?.hasPrefix("4 set the same setting, with a later time") == true)
    }

    @Test("why conversation: facts follow the choice's time, and no rule or event says otherwise")
    func conversation() throws {
        try recordMute()
        let lines = try lines(["why", "conversation", "Team"])
        let rule = try #require(lines.firstIndex(of: "Rule:"))
        #expect(
            lines.contains { $0.hasPrefix("muted yes by ") }
                && lines[rule + 1].hasPrefix("It is out of date since MembersAdded at 6: "))
        let changes = try #require(lines.firstIndex(of: "All events that changed it:"))
        let others = try #require(lines.firstIndex(of: "Events that name it and changed nothing:"))
        let changing = lines[changes..<others]
        #expect(
            changes == rule + 2
                && changing.filter { $0.hasPrefix("muted: ") } == ["muted: none -> no", "muted: no -> yes"])
        #expect(!changing.contains { $0.hasPrefix("3 ") || $0.hasPrefix("5 ") })
        #expect(lines[others...].count == 3)
    }

    @Test("one server id given to two messages: the one that is gone names the other")
    func sharedID() throws {
        try record([
            .queued(.text("first"), in: Self.team, clientToken: "a"),
            .sent(LocalMessageID(1), as: "m1", in: Self.team, at: Self.time(1)),
            .queued(.text("second"), in: Self.team, clientToken: "b"),
            .sent(LocalMessageID(3), as: "m1", in: Self.team, at: Self.time(130)),
        ])
        let lines = try lines(["why", "message", "local:1"])
        #expect(
            lines.contains("local id 3 by 4 MessageSent")
                && lines.contains { $0.hasPrefix("same server id as message 1: deleted") }, "\(lines)")
        let before = try self.lines(["why", "message", "local:3", "--at", "3"])
        #expect(!before.contains { $0.hasPrefix("same server id") })
    }

    @Test("what lost changed no row", arguments: Seeds.first(4))
    func losses(seed: UInt64) throws {
        let place = try TemporaryStore()
        let store = try place.open(account: RandomEvents.account)
        var random = RandomEvents(seed: seed)
        var differing: [RecordedEvent] = []
        while try store.lastPosition().rawValue < 600 {
            try store.record(random.nextBatch(after: store.lastPosition()))
            place.time.move(byMilliseconds: 1000)
        }
        let session = try store.replaySession()
        let reports = try session.reports(through: store.lastPosition())
        let single = try store.sessionOfChoices().reports(through: store.lastPosition())
        var lost: [Position] = []
        try store.forEachEvent { event in
            let loss = event.loss(in: reports[event.position])
            // An edit, even an older one, may end a pending change, and a receipt may add a number.
            if loss != nil, !(event.event.payload is MessageModified), event.event.receipt == nil {
                lost.append(event.position)
            }
            if loss != event.loss(in: single[event.position]) { differing.append(event) }
            return true
        }
        #expect(differing.map(\.position) == [], "seed \(seed)")
        for position in lost {
            let changes = try session.changes(from: Position(position.rawValue - 1), to: position).changes
            // A choice that lost may be pending all the same, or end that another one is.
            let others = changes.filter {
                ![.pendingChanges, .timelineEvents].contains($0.projection) && $0.table != "identities"
            }
            #expect(others.isEmpty, "seed \(seed), \(position): \(others.map(\.table))")
        }
        #expect(seed > 1 || !lost.isEmpty)
        try store.close()
    }
}
