import MessageStore
import Testing

@testable import MessageStoreTool

/// Small broken logs, one for each family, and the sound neighbours that must not be reported.
@Suite("messagestore doctor: clocks, edits, names, packages, places and ids", .tool, .timeLimit(.minutes(30)))
struct DoctorClockTests {
    private static let team = ConversationKey.group("Team")
    private static let bob = ConversationKey.single("bob")
    private static let start: Int64 = 1_795_000_000_123
    private static func time(_ minutes: Int64, _ milliseconds: Int64 = 0) -> Timestamp {
        Timestamp(milliseconds: start + minutes * 60_000 + milliseconds)
    }

    private static func message(
        _ id: ServerMessageID, _ minutes: Int64, _ text: String = "", from sender: UserID = "bob",
        in key: ConversationKey = team
    ) -> Event {
        .received(
            id, from: sender, in: key, at: time(minutes), content: .text("secret \(text.isEmpty ? id.rawValue : text)"))
    }

    private static func told(
        _ payload: any EventPayload, _ device: DeviceID? = nil, in key: ConversationKey? = team,
        origin: Origin = .live
    ) -> Event {
        Event(any: payload, in: key, origin: device == nil ? origin : .otherDevice, device: device)
    }

    /// Records each event as a commit of its own, a minute after the one before it; the first at minute 1.
    private func record(_ events: [Event]) throws { try place.record(events, from: Self.time(1)) }

    /// What doctor says of one symptom; there must be no other but events without effect.
    private func found(_ symptom: Symptom, besides others: Set<Symptom> = []) throws -> DoctorFinding {
        let findings = try place.findings()
        #expect(others.union([symptom, .noEffect]).isSuperset(of: findings.keys), "next to \(symptom): \(findings)")
        guard let found = findings[symptom] else { return DoctorFinding() }
        _ = try found.closer()
        return found
    }

    @Test("receipts and markers ahead of their recording; what names a message's time is none")
    func ahead() throws {
        func receipt(_ minutes: Int64, by reader: UserID = "bob") -> Event {
            Self.told(MessageReadByPeer(.upTo(Self.time(minutes)), by: reader, at: Self.time(minutes)), in: Self.bob)
        }
        try record([
            Self.message("m1", 30),
            Self.told(ConversationRead(upTo: MessageOrder(time: Self.time(30), id: "m1")), "web"),
            receipt(3), receipt(64, by: "bob"), receipt(65, by: "bob"), receipt(6, by: "ann"),
            Self.told(MessageDelivered(.upTo(Self.time(7)), to: "bob", at: Self.time(7)), in: Self.bob),
        ])
        let found = try found(.ahead, besides: [.stray])
        #expect(found.count == 2 && found.positions == [4, 5])
        #expect(found.notes == ["by bob, 1 h 00 min ahead", "by bob, 1 h 00 min ahead"])
        #expect(found.shared["by"] == "bob" && found.shared["type"] == "MessageReadByPeer")
        #expect(found.shared["ahead"] == "1 h 00 min" && found.since == 4 && found.lastGood == 3)
        let text = try place.run("doctor").lines
        #expect(
            text.contains(
                "    all of them: type MessageReadByPeer, origin live, by bob, conversation single:bob, ahead 1 h 00 min"
            ))
        #expect(text.contains { $0.hasPrefix("    since 4 of ") && $0.contains("the last good one is 3 of ") })
    }

    /// The events that say up to which place this account has read, or the server counted.
    enum Marker: CaseIterable {
        case conversation, thread, list, listCount, count

        func payload(_ place: MessageOrder) -> any EventPayload {
            switch self {
            case .conversation: ConversationRead(upTo: place)
            case .thread: ThreadRead("m1", upTo: place)
            case .list: ConversationSummaryReceived(readUpTo: place)
            case .listCount: ConversationSummaryReceived(unread: .init(0, upTo: place))
            case .count: UnreadCountReported(0, upTo: place)
            }
        }
    }

    @Test(
        "markers of threads, of the server's list and of its counts ahead of their recording",
        arguments: Marker.allCases)
    func aheadMarkers(marker: Marker) throws {
        try record([
            Self.message("m1", 1), Self.told(marker.payload(MessageOrder(time: Self.time(1), id: "m1")), "web"),
            Self.told(marker.payload(MessageOrder(time: Self.time(63))), "web"),
        ])
        // Of what the server counted beyond the newest message nothing is here.
        let found = try found(.ahead, besides: [.gaps])
        #expect(found.positions == [3] && found.notes == ["1 h 00 min ahead"] && found.lastGood == 2)
    }

    @Test("choices that lost by a clock that is behind or ahead; what an offline sync delivers late is none")
    func choices() throws {
        try record([
            Self.message("m1", 1), Self.told(ConversationPinned(true, at: Self.time(2)), "web"),
            Self.told(ConversationPinned(false, at: Self.time(3)), "web"),
            Self.told(ConversationPinned(true, at: Self.time(4 - 50)), "web"),
            Self.told(MemberInfoChanged("bob", nickname: "B", at: Self.time(5 + 100)), "pad"),
            Self.told(MemberInfoChanged("bob", nickname: "C", at: Self.time(6)), "phone"),
            Self.told(ConversationMuted(true, at: Self.time(7)), "phone"),
            Self.told(ConversationMuted(false, at: Self.time(5)), origin: .offline),
            Self.told(ConversationArchived(true, at: Self.time(9)), "phone"),
            Self.told(ConversationArchived(true, at: Self.time(3)), "web"),
            Self.told(MessageStarred(.server("m1"), true, at: Self.time(11)), "phone"),
            Self.told(MessageStarred(.server("m1"), false, at: Self.time(12 - 600)), "web"),
            Self.told(ConversationTimerChanged(MessageTimer(seconds: 9), at: Self.time(13)), "phone"),
            Self.told(ConversationTimerChanged(.off, at: Self.time(14 - 600)), "web"),
        ])
        let found = try found(.lostChoice)
        #expect(found.positions == [4, 6, 12, 14])
        #expect(try place.findings("--quick")[.lostChoice]?.positions == [4, 6, 12, 14])
        #expect(found.notes.first == "ConversationPinned (web), made 50 min 00 s before it was recorded; 3 (web) holds")
        #expect(
            found.notes[1]
                == "MemberInfoChanged (phone); 5 (pad) holds, and its time is 1 h 40 min after it was recorded")
        #expect(found.since == 4 && found.lastGood == 3 && found.shared["origin"] == "otherDevice")
        #expect(found.shared["device"] == nil)
    }

    @Test("an edit whose text is nearly that of a neighbour; corrections and rewritten messages are none")
    func edits() throws {
        func edit(_ id: ServerMessageID, _ text: String) -> Event {
            Self.told(MessageModified(.server(id), content: .text("secret \(text)"), at: Self.time(20)))
        }
        try record([
            Self.message("m1", 1, "the only name I can use is this"),
            Self.message("m2", 2, "its uesd in the loadash library", from: "ann"),
            Self.message("m3", 3, "周末我们去爬山好不好", from: "ann"), Self.message("m4", 4, "see you tomorrow at noon"),
            edit("m4", "see you tomorrow at one"), edit("m1", "its used in the loadash library"),
            edit("m2", "no idea, never mind, forget what I asked"),
            Self.told(
                MessageSnapshotReceived(
                    .server("m3"), content: .text("secret its used in the loadash library"), modifiedTime: Self.time(20)
                )),
        ])
        let found = try found(.edit)
        #expect(found.positions == [6, 8])
        #expect(found.notes == ["of 1; the new text is nearly that of 2", "of 3; the new text is nearly that of 2"])
        #expect(found.since == 6 && found.lastGood == 5)
    }

    @Test("names that went back; a rename that the server dates later, or the user's own, is none")
    func names() throws {
        func profile(_ name: String, _ id: UserID = "bob") -> Event {
            Self.told(ProfilesFetched([Profile(id: id, name: name)]), in: nil)
        }
        func rename(_ name: String, _ minutes: Int64) -> Event {
            Event(
                ConversationUpdated(ConversationFields(name: name)), in: Self.team, origin: .live,
                serverTime: Self.time(minutes))
        }
        func nickname(_ name: String, _ id: UserID = "bob", _ time: Timestamp? = nil) -> Event {
            Self.told(MemberInfoChanged(id, nickname: name.isEmpty ? "" : "secret \(name)", at: time))
        }
        try record([
            Self.message("m1", 1), profile("secret old"), profile("secret new"), profile("secret ann", "ann"),
            profile("secret old"), rename("one", 5), rename("two", 6), rename("one", 7),
            Self.told(TeamInfoFetched([TeamInfo(id: Self.team, name: "A")]), in: nil),
            Self.told(TeamInfoFetched([TeamInfo(id: Self.team, name: "B")]), in: nil),
            nickname("one"), nickname("two"), nickname("one"), nickname(""), nickname("one"),
            nickname("one", "ann", Self.time(1)), nickname("two", "ann", Self.time(2)),
            nickname("one", "ann", Self.time(3)),
            // A list without times puts back what a choice replaced.
            nickname("one", "cai"), nickname("two", "cai", Self.time(20)), nickname("one", "cai"),
        ])
        let found = try found(.oldName)
        #expect(found.positions == [5, 13, 21])
        #expect(
            found.notes == [
                "bob: the name of 2 is back, after that of 3",
                "bob's nickname: the name of 11 is back, after that of 12",
                "cai's nickname: the name of 19 is back, after that of 20",
            ])
        #expect(found.since == 5 && found.lastGood == 4)
    }

    private static func sync(_ indices: [UInt32]) -> [Event] {
        let packages = indices.enumerated().map { number, index in
            Event(OfflinePackageReceived(index: index, messageCount: 0, hasMore: number + 1 < indices.count))
        }
        return [Event(OfflineSyncStarted())] + packages + [Event(OfflineSyncCompleted())]
    }

    @Test("packages that are missing between others, at the beginning and at the end")
    func packages() throws {
        let whole = Self.sync([1, 2, 3]) + Self.sync([1, 2]) + Self.sync([1, 2, 2, 3])
        var cut = Self.sync([1, 2, 3])
        cut.remove(at: 3)
        try record(whole + Self.sync([1, 2, 4, 5]) + Self.sync([2, 3]) + cut + Self.sync([1, 3, 2]))
        let found = try found(.packages)
        #expect(found.count == 3 && found.positions == [19, 23, 29], "\(found)")
        #expect(
            found.notes == [
                "index 3, between 18 of 2026-11-18T11:24:40.123Z and 19 of 2026-11-18T11:25:40.123Z",
                "index 1, between 20 of 2026-11-18T11:26:40.123Z and 23 of 2026-11-18T11:29:40.123Z",
                "the last one, 28, says that more follow",
            ])
        #expect(found.since == 19 && found.lastGood == 18)
    }

    /// The indices of syncs, of which the third may break off, and how many lack a package.
    static let syncs: [(name: String, indices: [[UInt32]], isBrokenOff: Bool, lacks: Int)] = [
        ("goes on where the one before it broke off", [[1, 2], [1, 2], [1, 2, 3, 4], [3, 4], [1, 2]], true, 0),
        (
            "skips a package after the one before it broke off", [[1, 2], [1, 2], [1, 2, 3, 4], [4, 5], [1, 2]], true, 1
        ),
        ("of a transport that numbers with holes", [[10, 20, 31], [40, 50, 62], [5, 6, 9]], false, 0),
    ]

    @Test("a sync that lacks a package, and those that lack none", arguments: syncs.indices)
    func otherPackages(index: Int) throws {
        let (name, indices, isBrokenOff, lacks) = Self.syncs[index]
        var syncs = indices.map { Self.sync($0) }
        if isBrokenOff { syncs[2].removeLast(3) }
        try record(syncs.flatMap { $0 })
        #expect(try found(.packages, besides: isBrokenOff ? [.sync] : []).count == lacks, "\(name)")
    }

    @Test(
        "markers off the message that they name, and times cut to seconds: since when, and by whom",
        arguments: Marker.allCases)
    func markers(marker: Marker) throws {
        func read(_ number: Int64, _ device: DeviceID, cut: Bool) -> Event {
            let time = Self.time(number).milliseconds
            let told = Timestamp(milliseconds: cut ? time / 1000 * 1000 : time)
            return Self.told(marker.payload(MessageOrder(time: told, id: ServerMessageID("m\(number)"))), device)
        }
        var events: [Event] = []
        for number in 1...12 as ClosedRange<Int64> {
            events.append(Self.message(ServerMessageID("m\(number)"), number))
            events.append(
                read(number, number.isMultiple(of: 2) ? "phone" : "laptop", cut: number > 3 && number % 2 == 1))
        }
        try record(events)
        let off = try found(.offMarker, besides: [.cutTimes])
        #expect(off.count == 4 && off.positions == [10, 14, 18, 22] && off.notes.first == "123 ms before m5")
        #expect(off.shared["device"] == "laptop" && off.shared["cut"] == "to whole seconds")
        #expect(off.since == 10 && off.lastGood == 6)
        let cut = try found(.cutTimes, besides: [.offMarker])
        #expect(cut.count == 4 && cut.since == 10 && cut.lastGood == 6 && cut.shared["device"] == "laptop")
    }

    @Test("a marker by hours off its message, and a log whose times are all in seconds")
    func whole() throws {
        func at(_ minutes: Int64) -> Timestamp {
            Timestamp(milliseconds: Self.time(minutes).milliseconds / 1000 * 1000)
        }
        func message(_ number: Int64) -> Event {
            .received(
                ServerMessageID("m\(number)"), from: "bob", in: Self.team, at: at(number),
                content: .text("secret \(number)"))
        }
        func read(_ number: Int64, off: Int64 = 0) -> Event {
            Self.told(
                ConversationRead(upTo: MessageOrder(time: at(number - off), id: ServerMessageID("m\(number)"))), "web")
        }
        let sound = (1...8 as ClosedRange<Int64>).flatMap { [message($0), read($0)] }
        try record(sound + [message(9), read(9, off: 180)])
        let found = try found(.offMarker)
        #expect(found.positions == [18] && found.notes == ["3 h 00 min before m9"] && found.lastGood == 16)
    }

    @Test("in a log whose times are all in seconds, somebody may say the same twice within one", arguments: [0, 7])
    func repeatsWithinSecond(milliseconds: Int64) throws {
        try record(
            (0..<110 as Range<Int64>).map { number in
                .received(
                    ServerMessageID("m\(number)"), from: "bob", in: Self.team,
                    at: Timestamp(milliseconds: (Self.start / 1000 + number / 2) * 1000 + milliseconds),
                    content: .text("secret"))
            })
        #expect(try found(.repeats).count == (milliseconds == 0 ? 0 : 55))
    }

    @Test("one id for two messages: two acknowledgements, or another's message; an echo is none")
    func ids() throws {
        func sent(_ local: UInt64, _ id: ServerMessageID, _ minutes: Int64) -> Event {
            Self.told(MessageSent(message: LocalMessageID(local), serverID: id, sentTime: Self.time(minutes)))
        }
        let queued = (1...3).map {
            Event(MessageSendQueued(content: .text("secret \($0)"), clientToken: ClientToken("t\($0)")), in: Self.team)
        }
        try record(
            queued + [
                sent(1, "server-id-1", 4), Self.message("server-id-5", 5), sent(2, "server-id-1", 6),
                Self.message("server-id-6", 7, in: Self.bob), Self.message("server-id-5", 8, from: "ann", in: Self.bob),
                Self.message("7", 9, in: Self.bob), Self.message("7", 10, from: "ann"), sent(3, "server-id-3", 11),
            ])
        let found = try found(.usedID)
        #expect(found.positions == [6, 8], "\(found)")
        #expect(found.notes == ["server-id-1, first at 4", "server-id-5, first at 5"] && found.lastGood == 5)
    }
}
