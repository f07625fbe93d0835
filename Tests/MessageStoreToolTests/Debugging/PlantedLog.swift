import Foundation
import MessageStore
import MessageStoreTestKit
import MessageStoreWorkload

@testable import MessageStoreTool

/// A log of an account's healthy weeks, made from a seed, in which one event is a fault.
struct PlantedLog {
    /// A fault, and what it makes wrong.
    enum Fault: String, CaseIterable, Sendable {
        case markerAhead, muteByFastClock, removedMember, removedAccount, editByOther, wrongRecall, clearedHistory
        case countTooHigh, oldProfile, receiptAhead, deletedMessage, ownMention, everyonesMention
        case markerCut, twoKinds, ownCase, repeated, countTakenBack, summaryAhead, strangersReceipt, uncounted
        case mutedBySummary, foreignDraft
        // Kinds that were chosen without knowledge of the tool.
        case recallByOther, kickedWriter, markerElsewhere, echoOfDevice, lateMessage, messageAhead, nameOfAnother
        case expiryWithoutTimer, misrouted, cutMemberList, emptyName, otherCase, muteForDuration
    }

    let fault: Fault?
    private(set) var planted = Position.origin
    /// A condition that is true because of the fault.
    private(set) var condition = ""
    /// The value that is wrong, and what it would be without the fault.
    private(set) var value = ""
    private(set) var expected = ""

    private let store: MessageStore
    private let time: ManualTime
    private var random: SplitMix64
    static let target = ConversationKey.group("hikers")
    private static let groups = [target] + ["garden", "school", "choir", "office"].map { ConversationKey.group($0) }
    static let users: [UserID] = ["ann", "bob", "carla", "deniz", "emil", "fatma", "goran", "hana"]
    private static let singles = users.prefix(4).map { ConversationKey.single($0.rawValue) }
    /// Conversations whose last messages are known.
    var last: [ConversationKey: (order: MessageOrder, sender: UserID)] = [:]
    private var ids = 0
    /// Events of the target that would undo the fault are left out from then on.
    private var isPlanted = false
    var reads = true
    /// The server's id of the last message of this account in the target.
    private var own: ServerMessageID?

    /// Records a log of at least so many events.
    init(_ fault: Fault?, seed: UInt64, events: Int, at path: String) throws {
        (self.fault, random) = (fault, SplitMix64(seed: seed))
        let time = ManualTime(startingAt: Timestamp(milliseconds: 1_790_000_000_123))
        self.time = time
        var configuration = MessageStore.Configuration.ofTests
        configuration.now = { time.now }
        configuration.durability.level = .relaxed
        store = try MessageStore.open(path, account: "me", configuration: configuration)
        try begin()
        // Marks of the future have an end, a day later.
        let isSoonOver = [.markerAhead, .receiptAhead, .summaryAhead, .countTooHigh, .countTakenBack].contains(fault)
        let place = UInt64(isSoonOver ? events - 40 : events / 2 + below(events / 3))
        while try store.lastPosition().rawValue < UInt64(events) {
            if !isPlanted, try store.lastPosition().rawValue >= place { try plant() }
            try step()
        }
        try end()
        try store.close()
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    private var now: Timestamp { time.now }

    func ago(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: now.milliseconds - milliseconds) }

    private mutating func pass(_ most: Int) { time.move(byMilliseconds: Int64(below(most) + 37)) }

    @discardableResult
    private func record(_ events: [Event]) throws -> Position {
        try store.record(events).positions.last.flatMap { $0 } ?? .origin
    }

    mutating func nextID() -> ServerMessageID {
        ids += 1
        return ServerMessageID("s\(100_000 + ids)-\(random.next() % 9_999)")
    }

    mutating func words() -> String {
        (0..<6).map { _ in
            ["rain", "boots", "late", "train", "lake", "soup", "sunday", "map", "hill", "bread"][below(10)]
        }
        .joined(separator: " ") + " \(random.next() % 100_000)"
    }

    private mutating func begin() throws {
        try record([.sessionStateChanged(.connected)])
        try record([.profilesFetched(Self.users.map { Profile(id: $0, name: "\($0)".capitalized) })])
        for group in Self.groups {
            pass(1_000)
            try record([
                .conversationCreated(
                    ConversationFields(name: "\(group.id) friends"), members: ["me"] + Self.users.prefix(6), in: group,
                    origin: .offline)
            ])
            try record([Event(MemberInfoChanged("ann", role: 2), in: group, origin: .live, serverTime: ago(40))])
        }
        for key in Self.groups + Self.singles { try receive(in: key) }
    }

    mutating func message(in key: ConversationKey, origin: Origin = .live, from sender: UserID? = nil) -> Event {
        let sender = sender ?? (key.kind == .single ? UserID(key.id) : Self.users[below(6)])
        let order = MessageOrder(time: ago(Int64(below(600) + 90)), id: nextID())
        last[key] = (order, sender)
        return .received(order.id ?? "", from: sender, in: key, at: order.time, content: .text(words()), origin: origin)
    }

    private mutating func receive(in key: ConversationKey) throws { try record([message(in: key)]) }

    /// One thing that happens.
    private mutating func step() throws {
        pass(below(40) == 0 ? 7_200_000 : 90_000)
        let key = below(3) == 0 ? Self.target : (Self.groups + Self.singles)[below(9)]
        let isTarget = key == Self.target && isPlanted
        switch below(100) {
        case 0..<70: try receive(in: key)
        case 70..<76: if isTarget, !reads { try receive(in: key) } else { try send(in: key) }
        case 76..<88:
            guard let order = last[key]?.order, !isTarget || reads else { return }
            try record([Event(ConversationRead(upTo: order), in: key, origin: .otherDevice, device: "laptop")])
        case 88..<90:
            guard let message = last[key], let id = message.order.id, !isTarget else { return }
            try record([
                Event(
                    MessageModified(.server(id), content: .text(words()), at: ago(50), by: message.sender), in: key,
                    origin: .live)
            ])
        case 90:
            try record([
                Event(
                    ConversationPinned(below(2) == 0, at: ago(900)), in: key, origin: .otherDevice,
                    device: "laptop")
            ])
        case 91:
            guard !isTarget else { return }
            try record([
                Event(
                    ConversationMuted(below(2) == 0, at: ago(700)), in: Self.singles[below(4)],
                    origin: .otherDevice, device: "tablet")
            ])
        case 92..<94:
            guard let order = last[key]?.order, !isTarget else { return }
            let unread = try store.read { try $0.unread(of: key).messages }
            try record([Event(UnreadCountReported(UInt32(unread), upTo: order, at: ago(60)), in: key, origin: .live)])
        case 94: try offline()
        case 95: try record([.profilesFetched([Profile(id: "ann", name: "Ann")])])
        case 96 where !isTarget: try record([Event(ConversationDraftChanged(words(), at: ago(20)), in: key)])
        default: try receive(in: key)
        }
    }

    private mutating func send(in key: ConversationKey) throws {
        let local = try store.send(.text(words()), to: key)
        pass(900)
        let id = nextID()
        try record([.sent(local, as: id, in: key, at: ago(200))])
        if key == Self.target { own = id }
        pass(30_000)
        guard key != Self.target || !isPlanted || fault != .receiptAhead else { return }
        let reader = key.kind == .single ? UserID(key.id) : Self.users[below(6)]
        try record([Event(MessageReadByPeer(.messages([.server(id)]), by: reader, at: ago(80)), in: key, origin: .live)]
        )
    }

    private mutating func offline() throws {
        let key = Self.groups[1 + below(4)]
        try record([.sessionStateChanged(.disconnected)])
        pass(60_000)
        try record([.sessionStateChanged(.connected), Event(OfflineSyncStarted(), origin: .offline)])
        let events = (0..<20).map { _ in
            pass(800)
            return message(in: key, origin: .offline)
        }
        try store.ingest(OfflinePackage(index: 0, events: events, hasMore: false))
        try record([Event(OfflineSyncCompleted(), origin: .offline)])
    }

    // MARK: Faults

    /// A message of the target that is not edited, recalled or read one by one before.
    mutating func freshMessage() throws -> ServerMessageID {
        try receive(in: Self.target)
        return last[Self.target]?.order.id ?? ""
    }

    private mutating func plant() throws {
        isPlanted = true
        guard let fault else { return }
        let target = Self.target
        pass(60_000)
        let laptop = { (payload: any ConversationPayload) in
            Event(any: payload, in: target, origin: .otherDevice, device: "laptop")
        }
        switch fault {
        case .markerAhead:
            reads = false
            set("unread(hikers)", laptop(ConversationRead(upTo: MessageOrder(time: later(hours: 20)))))
            let id = try {
                try recordPlanted(); return try freshMessage()
            }()
            condition = "unread(hikers) == 0 and exists(hikers, \(id))"
        case .muteByFastClock:
            set(
                "muted(hikers)",
                Event(ConversationMuted(at: later(hours: 7)), in: target, origin: .otherDevice, device: "tablet"))
            try recordPlanted()
            pass(600_000)
            try record([Event(ConversationMuted(false, at: ago(400)), in: target)])
            condition = value
        case .removedMember:
            let (added, removed) = (ago(300), ago(2_000_000))
            try record([
                Event(MembersAdded(["bob"], kind: .invited, by: "ann"), in: target, origin: .live, serverTime: added)
            ])
            pass(200_000)
            set(
                "member(hikers, bob)",
                Event(
                    MembersRemoved(["bob"], kind: .kicked, by: "ann"), in: target, origin: .offline, serverTime: removed
                ))
            condition = "not \(value)"
        case .removedAccount:
            set("member(hikers, me)", Event(SelfKicked(by: "ann"), in: target, origin: .live, serverTime: ago(80)))
            condition = "not \(value)"
        case .editByOther:
            let id = try freshMessage()
            let other = Self.users.prefix(6).first { $0 != last[target]?.sender && $0 != "ann" } ?? "bob"
            set(
                "modified(hikers, \(id))",
                Event(
                    MessageModified(.server(id), content: .text("I am a fool"), at: ago(90), by: other), in: target,
                    origin: .live))
            condition = value
        case .wrongRecall:
            let id = try freshMessage()
            set(
                "status(hikers, \(id))",
                Event(MessageRecalled(.server(id), by: last[target]?.sender), in: target, origin: .live))
            condition = "\(value) == recalled"
        case .clearedHistory:
            let id = try freshMessage()
            set("exists(hikers, \(id))", laptop(HistoryCleared(upTo: last[target]?.order ?? MessageOrder(time: now))))
            condition = "not \(value)"
        case .deletedMessage:
            let id = try freshMessage()
            set("exists(hikers, \(id))", laptop(MessagesDeleted([.server(id)])))
            condition = "not \(value)"
        case .countTooHigh:
            reads = false
            try receive(in: target)
            let unread = try store.read { try $0.unread(of: target).messages }
            set(
                "unread(hikers)",
                Event(
                    UnreadCountReported(UInt32(unread) + 70_000, upTo: last[target]?.order, at: ago(60)), in: target,
                    origin: .live))
            condition = "unread(hikers) > shown(hikers)"
        case .oldProfile:
            try record([.profilesFetched([Profile(id: "bob", name: "Bobby"), Profile(id: "hana", name: "Hana")])])
            pass(4_000_000)
            set("name(bob)", .profilesFetched([Profile(id: "bob", name: "Bob")]))
            condition = "name(bob) == 'Bob'"
        case .receiptAhead:
            set(
                "status(hikers, OWN)",
                Event(MessageReadByPeer(.upTo(later(hours: 20)), by: "bob", at: ago(80)), in: target, origin: .live))
        case .ownMention, .everyonesMention: try plantMention()
        case .recallByOther, .kickedWriter, .markerElsewhere, .echoOfDevice, .lateMessage, .messageAhead,
            .nameOfAnother, .expiryWithoutTimer, .misrouted, .cutMemberList, .emptyName, .otherCase,
            .muteForDuration:
            try plantForeign()
        default: try plantOther()
        }
        if planted == .origin { try recordPlanted() }
    }

    /// Mentions that a host's projection counts by a wrong rule.
    private mutating func plantMention() throws {
        let (isOwn, id) = (fault == .ownMention, nextID())
        var context = MessageContext.none
        if isOwn { context.mentions = ["me"] } else { context.mentionsEveryone = true }
        let order = MessageOrder(time: ago(90), id: id)
        last[Self.target] = (order, isOwn ? "me" : "bob")
        reads = false
        set(
            "rows(com.example.mentions/open)",
            .received(
                id, from: isOwn ? "me" : "bob", in: Self.target, at: order.time, content: .text(words()),
                context: context))
        condition = "\(value) > 0"
    }

    private mutating func plantOther() throws {
        let target = Self.target
        switch fault {
        case .markerCut:
            reads = false
            let id = try freshMessage()
            let order = last[target]?.order ?? MessageOrder(time: now)
            set(
                "unread(hikers)",
                Event(
                    ConversationRead(
                        upTo: MessageOrder(time: Timestamp(milliseconds: order.time.milliseconds / 1000 * 1000))),
                    in: target, origin: .otherDevice, device: "laptop"))
            condition = "unread(hikers) > 0 and exists(hikers, \(id))"
        case .twoKinds:
            set("unread(group:hikers)", message(in: ConversationKey(.single, "hikers"), from: "hikers"))
        case .ownCase: set("unread(hikers)", message(in: target, from: "Me"))
        case .repeated:
            let text = "the train leaves at nine from platform four"
            try record([.received(nextID(), from: "bob", in: target, at: ago(5_000), content: .text(text))])
            let order = MessageOrder(time: ago(300), id: nextID())
            last[target] = (order, "bob")
            set(
                "unread(hikers)",
                .received(order.id ?? "", from: "bob", in: target, at: order.time, content: .text(text)))
        case .countTakenBack:
            reads = false
            try receive(in: target)
            try record([
                Event(ConversationRead(upTo: last[target]?.order), in: target, origin: .otherDevice, device: "laptop")
            ])
            pass(60_000)
            set(
                "unread(hikers)",
                Event(UnreadCountReported(3, upTo: last[target]?.order, at: ago(60)), in: target, origin: .live))
        case .summaryAhead:
            set(
                "activity(hikers)",
                Event(ConversationSummaryReceived(activity: later(hours: 7)), in: target, origin: .offline))
        case .strangersReceipt:
            try send(in: target)
            let id = own ?? ""
            let local = try store.send(.text(words()), to: target)
            let mine = nextID()
            try record([.sent(local, as: mine, in: target, at: ago(200))])
            own = mine
            set(
                "status(hikers, \(mine))",
                Event(
                    MessageReadByPeer(.messages([.server(mine), .server(id)]), by: "zed", at: ago(80)), in: target,
                    origin: .live))
        case .uncounted:
            reads = false
            var policy = MessagePolicy.standard
            policy.countsUnread = false
            let order = MessageOrder(time: ago(90), id: nextID())
            last[target] = (order, "bob")
            set(
                "shown(hikers)",
                .received(
                    order.id ?? "", from: "bob", in: target, at: order.time, content: .text(words()), policy: policy))
        case .mutedBySummary:
            set("muted(hikers)", Event(ConversationSummaryReceived(isMuted: true), in: target, origin: .offline))
            condition = value
        default:
            set(
                "unread(hikers)",
                Event(
                    ConversationDraftChanged("not mine", at: ago(30)), in: target, origin: .otherDevice,
                    device: "laptop"))
        }
    }

    private var plantedEvent: Event?

    mutating func set(_ value: String, _ event: Event) { (self.value, plantedEvent) = (value, event) }

    private mutating func recordPlanted() throws { if let plantedEvent { planted = try record([plantedEvent]) } }

    func later(hours: Int64) -> Timestamp { Timestamp(milliseconds: now.milliseconds + hours * 3_600_000) }

    /// Ends the log, and asks what the value would be without the fault.
    private mutating func end() throws {
        if fault == .receiptAhead {
            try send(in: Self.target)
            value = "status(hikers, \(own ?? ""))"
            condition = "\(value) == read"
        }
        for _ in 0..<3 { try receive(in: Self.groups[1]) }
        guard !value.isEmpty, fault != .ownMention, fault != .everyonesMention else { return }
        let condition = try Condition(value: value, in: store)
        let planted = planted
        let session = try store.replaySession { $0.position == planted ? [] : [$0.event] }
        expected = try session.read(at: store.lastPosition()) { try condition.values($0)[0].words(hasContent: true) }
    }
}
