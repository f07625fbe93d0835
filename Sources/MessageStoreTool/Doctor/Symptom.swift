internal import MessageStore

/// What may be wrong with a log, as `doctor` names it.
enum Symptom: String, CaseIterable, Encodable {
    case noEffect = "no-effect"
    case repeats
    case seconds = "time-in-seconds"
    case future = "time-in-future"
    case sync = "sync-not-completed"
    case serverCount = "server-count-above-messages"
    case outbox = "old-outbox"
    case holes
    case waiting = "waits-for-message"
    case unknown = "unknown-events"
    case lost = "lost-records"
    case damaged = "damaged-records"

    /// What it means, as a line.
    var words: String {
        switch self {
        case .noEffect: "events that changed nothing but which events are known"
        case .repeats: "messages with the sender, time and content of an earlier one under another id"
        case .seconds: "times that look like seconds, where milliseconds belong"
        case .future: "server times more than a day after the event was recorded"
        case .sync: "offline syncs that did not complete before the next one or the end"
        case .serverCount: "server's unread counts above the messages that the store has for them"
        case .outbox: "messages that have waited for the server for more than a day"
        case .holes: "conversations with holes in their history"
        case .waiting: "messages that events name and that never arrived"
        case .unknown: "events of types that neither this tool nor the log describes"
        case .lost: "records that a salvage could not read"
        case .damaged: "records that are damaged, after which nothing was looked at but events"
        }
    }

    /// The command that looks closer.
    ///
    /// - Parameters:
    ///   - store: The store's path.
    ///   - finding: One finding.
    func command(_ store: String, _ finding: Finding) -> String {
        let store = Self.quoted(store)
        let conversation = finding.conversation.map { Self.quoted($0.description) }
        return switch (self, finding.position, conversation) {
        case (.repeats, let position?, _): "messagestore why \(store) message \(position)"
        case (.outbox, let position?, _): "messagestore why \(store) message \(position)"
        case (.serverCount, _, let conversation?): "messagestore why \(store) unread \(conversation)"
        case (.holes, _, let conversation?): "messagestore messages \(store) \(conversation)"
        case (.damaged, _, _): "messagestore check \(store)"
        case (.sync, let position?, _): "messagestore log \(store) --from \(position) -n 20"
        case (_, let position?, _): "messagestore log \(store) --from \(position) --to \(position)"
        default: "messagestore stats \(store)"
        }
    }

    /// The text as a shell takes it as one word.
    private static func quoted(_ text: String) -> String {
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

/// One place in a log where something may be wrong.
struct Finding: Encodable {
    let position: Position?
    let conversation: ConversationKey?
    /// Numbers and ids that tell more; never words of people.
    let note: String?

    private enum Key: String, CodingKey { case position, conversation, note }

    init(at position: Position? = nil, in conversation: ConversationKey? = nil, _ note: String? = nil) {
        (self.position, self.conversation, self.note) = (position, conversation, note)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(position, forKey: .position)
        try container.encodeIfPresent(conversation?.description, forKey: .conversation)
        try container.encodeIfPresent(note, forKey: .note)
    }
}

/// The findings of one symptom: how many, and the first of them.
struct Findings {
    private(set) var count = 0
    private(set) var first: [Finding] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func add(_ finding: Finding) {
        count += 1
        if first.count < limit { first.append(finding) }
    }
}
