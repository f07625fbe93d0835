internal import MessageStore

/// Follows what is merged by time, and tells which choice, edit or marker an event lost against.
///
/// The rules are those of the views: of two choices the later holds, of two edits as well, and markers only rise.
struct MergedChoices {
    /// What holds, and the event that set it.
    struct Choice {
        let event: RecordedEvent
        let time: Timestamp
        /// The time as the event tells it, which may be later than it counts.
        let told: Timestamp?
        /// Decides between two choices of one time: 0 for what is taken away.
        let rank: UInt64
        let value: String
    }

    /// That an event lost against another, in all that it chose.
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
            return "\(winner.event.position) \(what), with a later time: \(first.words) > \(second.words)" + (lag ?? "")
        }
    }

    private struct Matter: Hashable {
        let conversation: ConversationKey?
        let name: String
    }

    private struct Told {
        let name: String
        var time: Timestamp?
        var value: String
        var isSet: Bool

        init(_ name: String, _ time: Timestamp?, _ value: some Any, isSet: Bool) {
            (self.name, self.time, self.value, self.isSet) = (name, time, "\(value)", isSet)
        }
    }

    /// The types of events that are merged.
    static let types: Set<EventType> = Set(
        ([
            ConversationPinned.self, ConversationMuted.self, ConversationArchived.self, ConversationMarkedUnread.self,
            ConversationDraftChanged.self, ConversationFolderChanged.self, ConversationTagged.self,
            MemberInfoChanged.self, ConversationRead.self, ConversationDeleted.self, ConversationSummaryReceived.self,
            MessageStarred.self, MessagePinned.self, MessageModified.self, MessageReadByPeer.self,
            MessageDelivered.self,
        ] as [any EventPayload.Type]).map { EventType($0) })

    private var holding: [Matter: Choice] = [:]

    /// Takes the next event; answers with what it lost against, where all that it says lost.
    mutating func examine(_ recorded: RecordedEvent) -> Loss? {
        guard Self.types.contains(recorded.event.type) else { return nil }
        let isMarker = recorded.event.receipt?.upTo != nil
        let isEdit = recorded.event.type == .messageModified
        let told = Self.told(recorded)
        var losses: [Loss] = []
        for told in told {
            let matter = Matter(conversation: recorded.event.conversation, name: told.name)
            let last = holding[matter]
            let time = told.time.map { isEdit ? $0 : recorded.capped(max($0, Timestamp(milliseconds: 1))) }
            let choice = Choice(
                event: recorded, time: time ?? recorded.event.clockTime ?? recorded.recordedTime, told: told.time,
                rank: told.isSet ? recorded.position.rawValue : 0, value: told.value)
            if let last, told.time != nil, (choice.time, choice.rank) <= (last.time, isMarker ? .max : last.rank) {
                losses.append(Loss(winner: last, loser: choice))
            } else {
                holding[matter] = choice
            }
        }
        // These say more than what is merged.
        let others: [EventType] = [.conversationRead, .conversationDeleted, .conversationSummaryReceived]
        return !others.contains(recorded.event.type) && losses.count == told.count ? losses.first : nil
    }

    /// What events of a store up to a position lost against, by their positions.
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

    private static func told(_ recorded: RecordedEvent) -> [Told] {
        let event = recorded.event
        switch event.payload {
        case let pin as ConversationPinned: return [Told("pin", pin.time, pin.isPinned, isSet: pin.isPinned)]
        case let mute as ConversationMuted:
            let until = mute.until?.words ?? ""
            return [Told("mute", mute.time, "\(mute.level) \(until)", isSet: mute.isMuted)]
        case let archive as ConversationArchived:
            return [Told("archive", archive.time, archive.isArchived, isSet: archive.isArchived)]
        case let mark as ConversationMarkedUnread: return [Told("mark", mark.time, mark.isMarked, isSet: mark.isMarked)]
        case let draft as ConversationDraftChanged:
            return [Told("draft", draft.time, draft.text ?? "", isSet: draft.isThere)]
        case let folder as ConversationFolderChanged:
            let value = "\(folder.name ?? "") \(folder.condition ?? "") \(folder.order)"
            return [Told("folder \(folder.folder)", folder.time, value, isSet: folder.isThere)]
        case let tagged as ConversationTagged:
            let removed = tagged.removed.filter { !tagged.added.contains($0) }
            return removed.map { Told("tag \($0)", tagged.time, false, isSet: false) }
                + tagged.added.map { Told("tag \($0)", tagged.time, true, isSet: true) }
        case let info as MemberInfoChanged:
            let nickname = info.nickname.map {
                Told("nickname \(info.member)", info.time, $0, isSet: !$0.isEmpty)
            }
            let role = info.role.map { Told("role \(info.member)", info.time, $0, isSet: $0 != 0) }
            return [nickname, role].compactMap { $0 }
        case let star as MessageStarred:
            return [Told("star \(star.message)", star.time, star.isStarred, isSet: star.isStarred)]
        case let pin as MessagePinned:
            return [Told("pin \(pin.message)", pin.time, pin.isPinned, isSet: pin.isPinned)]
        case is ConversationRead: return [Told("mark", nil, false, isSet: false)]
        case is ConversationDeleted:
            return ["pin", "archive", "mark", "draft"].map { Told($0, nil, false, isSet: false) }
        case let summary as ConversationSummaryReceived:
            let settings = [
                ("pin", summary.isPinned), ("mute", summary.isMuted), ("mark", summary.isMarkedUnread),
                ("archive", summary.isArchived),
            ]
            return settings.compactMap { name, value in value.map { Told(name, event.serverTime, $0, isSet: $0) } }
        case let edit as MessageModified:
            return [Told("edit \(edit.message)", edit.time, recorded.position, isSet: true)]
        default:
            guard let receipt = event.receipt, let upTo = receipt.upTo, !receipt.isOwn else { return [] }
            let member = receipt.member?.rawValue ?? ""
            return [Told("\(receipt.isRead ? "read" : "delivered") \(member)", upTo, upTo, isSet: true)]
        }
    }
}
