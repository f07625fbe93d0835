/// Follows the values that are merged by time, and finds the choice, edit or receipt that an event lost against.
///
/// The rules are those of the views: of two choices or two edits the later applies, and the places up to which members
/// have read only rise.
struct MergedChoices {
    /// The value that applies, and the event that set it.
    struct Choice {
        let event: RecordedEvent
        let time: Timestamp
        /// The time in the event, which may be later than the one that counts.
        let recordedTime: Timestamp?
        /// Decides between two choices with one time: 0 where a value is removed.
        let rank: UInt64
        let value: String
    }

    /// A loss of an event against another, in all that it chose.
    struct Loss {
        let winner: Choice
        let loser: Choice

        /// Whether what lost is not what holds.
        var isDifferent: Bool { winner.value != loser.value }

        var words: String {
            let (first, second) = (winner.time, loser.time)
            let lag = loser.event.lag(of: second).map { ", which is \($0) before \(loser.event.position) was recorded" }
            let what =
                switch loser.event.event.payload {
                case is MessageModified: "edited the same message"
                case is MessageReadByPeer, is MessageDelivered: "is a marker of the same member"
                default: "set the same \(isDifferent ? "setting" : "value")"
                }
            guard first != second else { return "\(winner.event.position) \(what) with the same time" }
            return "\(winner.event.position) \(what), with a later time: \(first) > \(second)" + (lag ?? "")
        }
    }

    /// One of the values that an event sets: a setting, by the name of its field, a tag, a part of a member, the
    /// content of a message, or how far a member has read.
    private typealias Part = (name: String, time: Timestamp?, value: String, isSet: Bool)

    /// The types of events that are merged.
    static let types = Set.with(.mergedByTime).union([.messageModified, .messageReadByPeer, .messageDelivered])

    /// The choices that apply, by the conversation and the name of the part.
    private var holding: [String: Choice] = [:]

    /// Takes the next event; returns what it lost against if everything that it sets lost.
    mutating func examine(_ recorded: RecordedEvent) -> Loss? {
        guard Self.types.contains(recorded.source.type) else { return nil }
        let isMarker = recorded.event.receipt?.isOwn == false
        let isEdit = recorded.event.type == .messageModified
        let parts = Self.parts(recorded)
        var losses: [Loss] = []
        for part in parts {
            let key = "\(recorded.event.conversation?.description ?? "") \(part.name)"
            let last = holding[key]
            let time = part.time.map { isEdit ? $0 : recorded.capped(max($0, Timestamp(milliseconds: 1))) }
            let choice = Choice(
                event: recorded, time: time ?? recorded.event.clockTime ?? recorded.recordedTime,
                recordedTime: part.time, rank: part.isSet ? recorded.position.rawValue : 0, value: part.value)
            if let last, part.time != nil, (choice.time, choice.rank) <= (last.time, isMarker ? .max : last.rank) {
                losses.append(Loss(winner: last, loser: choice))
            } else {
                holding[key] = choice
            }
        }
        // These say more than what is merged.
        let others: [EventType] = [.conversationRead, .conversationDeleted, .conversationSummaryReceived]
        return !others.contains(recorded.event.type) && losses.count == parts.count ? losses.first : nil
    }

    /// The losses of a store's events up to a position, by their positions.
    static func losses(
        in store: MessageStore, to last: Position, of conversation: ConversationKey? = nil
    ) throws -> [Position: Loss] {
        var choices = MergedChoices()
        var losses: [Position: Loss] = [:]
        let filter = EventFilter(types: types, conversation: conversation)
        try store.forEachEvent(to: last, where: filter, onDamage: { _ in }) { event in
            if let loss = choices.examine(event) { losses[event.position] = loss }
            return true
        }
        return losses
    }

    /// The values that an event sets, and when each was chosen.
    private static func parts(_ recorded: RecordedEvent) -> [Part] {
        let event = recorded.event
        switch event.payload {
        case let tagged as ConversationTagged:
            let removed = tagged.removed.filter { !tagged.added.contains($0) }
            return removed.map { ("tag \($0)", tagged.time, "false", false) }
                + tagged.added.map { ("tag \($0)", tagged.time, "true", true) }
        case let info as MemberInfoChanged:
            let nickname: Part? = info.nickname.map { ("nickname \(info.member)", info.time, $0, !$0.isEmpty) }
            let role: Part? = info.role.map { ("role \(info.member)", info.time, "\($0)", $0 != 0) }
            return [nickname, role].compactMap { $0 }
        case is ConversationRead: return [("isMarked", nil, "false", false)]
        case is ConversationDeleted:
            let flags = EventCatalog.conversationFlags.map { $0.flagName }
            return (["isThere"] + flags).map { ($0, nil, "false", false) }
        case is ConversationSummaryReceived:
            return event.payload.fieldTexts.filter { $0.name.hasPrefix("is") && $0.text != nil }.map { field in
                let isSet = ["1", "true"].contains(field.text)
                let name = field.name == "isMarkedUnread" ? "isMarked" : field.name
                return (name, event.serverTime, "\(isSet)", isSet)
            }
        case let edit as MessageModified:
            return [("edit \(edit.message)", edit.time, "\(recorded.position)", true)]
        case is MessageReadByPeer, is MessageDelivered:
            guard let receipt = event.receipt, let upTo = receipt.upTo?.time else { return [] }
            let name = "\(receipt.isRead ? "read" : "delivered") \(receipt.member?.rawValue ?? "")"
            return [(name, upTo, "\(upTo)", true)]
        default: return setting(event)
        }
    }

    /// The setting that a field such as `isPinned` sets, of a conversation, a message or a folder.
    private static func setting(_ event: Event) -> [Part] {
        let fields = event.payload.fieldTexts
        guard let flag = fields.first(where: { $0.name.hasPrefix("is") }) else { return [] }
        let subject = fields.filter { $0.type.kind == .message || $0.name == "folder" }.compactMap(\.text)
        let others = fields.filter { ![.message, .user].contains($0.type.kind) && $0.name != "time" }
        let time = fields.first { $0.name == "time" }?.text
        let chosen = time.map { Timestamp(iso8601: $0) ?? ($0.hasPrefix("+") ? .latest : .unknown) }
        let name = ([flag.name] + subject).joined(separator: " ")
        return [(name, chosen, others.compactMap(\.text).joined(separator: " "), flag.text == "true")]
    }
}
