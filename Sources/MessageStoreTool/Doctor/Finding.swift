/// One place in a log where something may be wrong.
struct Finding {
    let position: Position?
    let conversation: ConversationKey?
    /// Numbers and ids with details, with names where they are to be shown; never user-written text.
    let note: ((Names?) -> String)?
    /// The topic of the command that looks closer, if neither the position nor the conversation names it.
    private(set) var topic: String?

    init(
        at position: Position? = nil, in conversation: ConversationKey? = nil, topic: String? = nil,
        _ note: ((Names?) -> String)? = nil
    ) {
        (self.position, self.conversation, self.note, self.topic) = (position, conversation, note, topic)
    }

    /// The sentence for people.
    func words(_ names: Names) -> String {
        [position.map { "at \($0)" }, conversation.map { "in \(names.label(of: $0))" }, note?(names)]
            .compactMap { $0 }.joined(separator: ", ")
    }

    var object: JSONObject {
        ["position": position, "conversation": conversation?.description, "note": note?(nil)]
    }
}

/// How many there are of something, and the first of them.
struct Sampled<Element> {
    private(set) var count = 0
    private(set) var first: [Element] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func add(_ element: Element) {
        count += 1
        if first.count < limit { first.append(element) }
    }

    /// Adds those that come after these.
    mutating func add(_ others: Sampled) {
        first += others.first.prefix(limit - first.count)
        count += others.count
    }
}

/// The findings of one symptom.
typealias Findings = Sampled<Finding>

extension Findings {
    mutating func remove(at position: Position) {
        first.removeAll { $0.position == position }
        count -= 1
    }

    /// The first findings for people, and how many more there are.
    func lines(_ names: Names) -> [String] {
        let more = count > first.count ? ["    and \(NumberFormat.count(count - first.count)) more"] : []
        return first.map { "    \($0.words(names))" } + more
    }
}

/// A possible problem with a log, as `doctor` names it.
enum Symptom: String, CaseIterable, Encodable {
    case ahead = "markers-ahead"
    case lostChoice = "choices-lost-by-clock"
    case edit = "edits-of-another-message"
    case oldName = "names-went-back"
    case packages = "packages-missing"
    case offMarker = "markers-off-their-message"
    case cutTimes = "times-cut-to-seconds"
    case usedID = "id-used-twice"
    case repeats
    case twoConversations = "in-two-conversations"
    case ownReceipt = "receipts-of-oneself"
    case foreignReceipt = "receipts-of-strangers"
    case foreignChange = "changes-by-others"
    case afterRemoval = "messages-after-removal"
    case noTimer = "expiry-without-timer"
    case far = "times-far-from-recording"
    case foreignName = "names-of-others"
    case foreignSender = "senders-from-elsewhere"
    case twoKinds = "id-of-two-kinds"
    case ownCase = "senders-like-the-account"
    case takenBack = "counts-of-what-was-read"
    case stray = "unknown-conversations"
    case late = "older-than-recorded"
    case turn = "policy-turned"
    case seconds = "time-in-seconds"
    case future = "time-in-future"
    case sync = "sync-not-completed"
    case serverCount = "server-count-above-messages"
    case outbox = "old-outbox"
    case gaps
    case waiting = "waits-for-message"
    case unknown = "unknown-events"
    case lost = "lost-records"
    case damaged = "damaged-records"
    // Most of these are harmless, so they come last.
    case noEffect = "no-effect"

    /// Its meaning, as a line.
    var words: String {
        switch self {
        case .ahead: "receipts and read markers up to a time later than they were recorded"
        case .lostChoice:
            "choices that lost by a time far from its recording: a wrong clock, or a device that was offline"
        case .edit: "edits that look meant for another message"
        case .oldName: "names that went back to an earlier one, or to none"
        case .packages: "packages that a sync lacks"
        case .offMarker: "markers whose time is not that of the message that they name"
        case .cutTimes: "times cut to whole seconds, where others have milliseconds"
        case .usedID: "ids of the server that name two messages"
        case .repeats: "messages with the sender, time and content of an earlier one under another id"
        case .twoConversations:
            "messages that are in another conversation, too, with the same id, sender, time and content"
        case .ownReceipt: "receipts that say that the account itself has read its messages or got them"
        case .foreignReceipt: "receipts of users who never were members"
        case .foreignChange:
            "edits and recalls by users who neither sent the message nor have a role in the conversation"
        case .afterRemoval: "removals after which the account still gets messages, or the user still writes"
        case .noTimer: "messages that disappeared in conversations without a timer"
        case .far: "messages recorded live an hour or more from their time, unlike nearly all of this log"
        case .foreignSender:
            "messages by somebody who is neither the peer nor a member, unlike nearly all of this log"
        case .foreignName: "users' names that became those of other users"
        case .twoKinds: "conversations whose ids are the same but for kind or letter case"
        case .ownCase: "senders whose ids are the account's in another letter case, or with a device added"
        case .takenBack: "server's counts of messages that the account had read"
        case .stray: "conversations that events are about, and that no message, creation or member tells of"
        case .late: "events that changed what a newer one of the same matter had reported before, by the server's times"
        case .turn:
            "policies that were the same for all messages of an origin, and the opposite from some message on, or in one"
        case .seconds: "times that look like seconds, where milliseconds belong"
        case .future: "server times more than a day after the event was recorded"
        case .sync: "offline syncs that did not complete before the next one or the end"
        case .serverCount: "server's unread counts above the messages that the store has for them"
        case .outbox: "messages that have waited for the server for more than a day"
        case .gaps: "gaps in the history of conversations"
        case .waiting: "messages that events name and that never arrived"
        case .unknown: "events of types that neither this tool nor the log describes"
        case .lost: "records that are lost: a salvage could not read them, or an export left them out"
        case .damaged: "records that are damaged, after which nothing was looked at but events"
        case .noEffect: "events that changed nothing, most of them harmless"
        }
    }

    /// Whether it can be found without a replay of the log.
    var isQuick: Bool { self != .noEffect && self != .late }

    /// Its name for people.
    var title: String { rawValue.split(separator: "-").joined(separator: " ") }

    /// The command that looks closer.
    ///
    /// - Parameters:
    ///   - store: The store's path.
    ///   - finding: One finding.
    func command(_ store: String, _ finding: Finding) -> String {
        let store = Self.quoted(store)
        let conversation = finding.conversation.map { Self.quoted($0.description) }
        return switch (self, finding.position, conversation) {
        case (.repeats, let position?, _), (.outbox, let position?, _):
            "messagestore why \(store) message local:\(position)"
        case (.foreignReceipt, let position?, _), (.foreignChange, let position?, _), (.takenBack, let position?, _),
            (.ahead, let position?, _), (.lostChoice, let position?, _), (.edit, let position?, _),
            (.late, let position?, _), (.noEffect, let position?, _):
            "messagestore diff \(store) \(position)"
        case (.oldName, let position?, _), (.foreignName, let position?, _):
            "messagestore log \(store) --from \(position) --to \(position) --text"
        case (.packages, let position?, _):
            "messagestore log \(store) --from \(finding.topic ?? "\(position)") --to \(position)"
        case (.usedID, _, _), (.twoConversations, _, _):
            "messagestore log \(store) --message \(Self.quoted(finding.topic ?? ""))"
        case (.serverCount, _, let conversation?): "messagestore why \(store) unread \(conversation)"
        case (.gaps, _, let conversation?):
            "messagestore messages \(store) \(conversation)" + (finding.topic.map { " --around \($0)" } ?? "")
        case (.turn, _, _): "messagestore replay \(store) --set \(finding.topic ?? "")"
        case (.stray, _, let conversation?), (.twoKinds, _, let conversation?):
            "messagestore log \(store) --conversation \(conversation)"
        case (.damaged, _, _): "messagestore check \(store)"
        case (.sync, let position?, _): "messagestore log \(store) --from \(position) -n 20"
        case (_, let position?, _): "messagestore log \(store) --from \(position) --to \(position)"
        default: "messagestore stats \(store)"
        }
    }

    /// The text as a shell takes it as one word.
    static func quoted(_ text: String) -> String {
        let plain = Set("0123456789_-./:@%+".unicodeScalars)
        let isPlain = text.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || plain.contains($0) }
        guard !isPlain || text.isEmpty else { return text }
        // By scalars: a quote with a combining mark is another character than a quote.
        var quoted = "'".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar == "'" { quoted.append(contentsOf: "'\\''".unicodeScalars) } else { quoted.append(scalar) }
        }
        quoted.append("'")
        return String(quoted)
    }
}
