#if os(macOS) || os(Linux)
import MessageStore
import MessageStoreSearch
import MessageStoreWorkload

/// Records a log with changes of messages in between, and notes what each message shows, without asking the store.
///
/// Each message is a second later than the one before; what is changed is drawn from a seed.
struct ChatHistory {
    private var random: SplitMix64
    /// By local id.
    private(set) var shown: [UInt64: ShownMessage] = [:]
    /// Server ids of messages that were recorded, with their conversation.
    private var recorded: [(id: UInt64, conversation: ConversationKey)] = []
    private(set) var conversations: [ConversationKey] = []
    private var changed: Set<UInt64> = []
    private var dropped: [UInt64] = []
    private var count: Int64 = 0
    private(set) var erasures = 0
    /// How often something changes, and how many erasures there are, each of which reads the whole log.
    private let changeRate: Double
    private var erasuresLeft: Int

    init(seed: UInt64, changeRate: Double = 0.1, erasures: Int) {
        (random, self.changeRate, erasuresLeft) = (SplitMix64(seed: seed), changeRate, erasures)
    }

    private static let types: [ContentType] = [.text, .text, .text, .text, .file, .image, .notice]

    /// A file's name for some of the types that have one: words of a line.
    private mutating func fileName(_ type: ContentType, _ lines: [LinearScan.Line]) -> String? {
        guard SearchQuery.fileTypes.contains(type), random.chance(0.7) else { return nil }
        return lines.randomElement(using: &random).map {
            "\($0.text.prefix(30)).\(random.nextIndex(2) == 0 ? "png" : "PDF")"
        }
    }

    private func content(_ type: ContentType, _ text: String, _ fileName: String?) throws -> MessageContent {
        var content = try FilePayload(MediaFile(path: "x", name: fileName), text: text).encode()
        content.type = type
        // Data of other types are the host's own.
        return SearchQuery.fileTypes.contains(type) ? content : MessageContent(type: type, text: text)
    }

    /// Records lines, with changes in between.
    mutating func record(_ lines: [LinearScan.Line], in store: MessageStore) throws {
        var batch: [Event] = []
        var pending: [(index: Int, message: ShownMessage, conversation: ConversationKey)] = []
        func flush(_ history: inout ChatHistory) throws {
            guard !batch.isEmpty else { return }
            let positions = try store.record(batch).positions
            for (index, message, conversation) in pending {
                guard let position = positions[index] else { continue }
                history.add(message, at: position.rawValue, conversation)
            }
            (batch, pending) = ([], [])
        }
        for line in lines {
            count += 1
            let conversation = ConversationKey.group(line.conv)
            let server = ServerMessageID("s\(count)")
            var message = ShownMessage(
                id: 0, text: line.text, conversation: "\(conversation)", sender: line.from,
                type: Self.types[random.nextIndex(Self.types.count)].rawValue, time: count * 1_000,
                mentions: random.chance(0.05))
            message.fileName = fileName(ContentType(message.type), lines)
            if message.fileName != nil, random.chance(0.3) { message.text = "" }
            let event = Event.received(
                server, from: UserID(rawValue: line.from), in: conversation, at: Timestamp(milliseconds: message.time),
                content: try content(ContentType(message.type), message.text, message.fileName),
                context: MessageContext(mentions: message.mentions ? ["me"] : []))
            if random.chance(changeRate / 10), let other = lines.randomElement(using: &random) {
                // A modification that comes before its message.
                let content = MessageContent(type: .text, text: other.text)
                batch.append(
                    Event(MessageModified(.server(server), content: content, at: time(1)), in: conversation))
                (message.text, message.type, message.fileName) = (content.text ?? "", ContentType.text.rawValue, nil)
            }
            pending.append((batch.count, message, conversation))
            batch.append(event)
            if batch.count >= 40 { try flush(&self) }
            if random.chance(changeRate) {
                try flush(&self)
                try change(store, lines)
            }
        }
        try flush(&self)
    }

    private mutating func add(_ message: ShownMessage, at id: UInt64, _ conversation: ConversationKey) {
        if !conversations.contains(conversation) { conversations.append(conversation) }
        recorded.append((id, conversation))
        shown[id] = ShownMessage(
            id: id, text: message.text, conversation: message.conversation, sender: message.sender,
            type: message.type, time: message.time, mentions: message.mentions, fileName: message.fileName)
        changed.insert(id)
    }

    private func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: (count + seconds) * 1_000) }

    /// Changes a message that is shown, or removes some.
    private mutating func change(_ store: MessageStore, _ lines: [LinearScan.Line]) throws {
        guard let (id, conversation) = recorded.randomElement(using: &random), let message = shown[id],
            let other = lines.randomElement(using: &random)
        else { return }
        let reference = MessageReference.local(LocalMessageID(id))
        switch random.nextIndex(20) {
        case 0...8:
            let isMention = random.chance(0.2)
            let type: ContentType = random.chance(0.8) ? .text : .file
            let fileName = fileName(type, lines)
            let content = try content(type, other.text, fileName)
            try store.record(
                Event(
                    MessageModified(reference, content: content, at: time(0), mentions: isMention ? ["me"] : nil),
                    in: conversation))
            guard !filtered.contains(id) else {
                if isMention { set(id) { $0.mentions = true } }
                return
            }
            set(id) {
                ($0.text, $0.type, $0.fileName) = (other.text, type.rawValue, fileName)
                if isMention { $0.mentions = true }
            }
        case 9, 10:
            let content = MessageContent(type: .text, text: other.text)
            try store.record(Event(MessageFiltered(reference, verdict: .replace(content)), in: conversation))
            filtered.insert(id)
            set(id) { ($0.text, $0.type, $0.fileName) = (other.text, ContentType.text.rawValue, nil) }
        case 11:
            try store.record(Event(MessageFiltered(reference, verdict: .hide), in: conversation))
            drop([id])
        case 12, 13:
            try store.record(Event(MessageRecalled(reference), in: conversation))
            drop([id])
        case 14, 15:
            try store.record(Event(MessagesDeleted([reference], erases: random.chance(0.3)), in: conversation))
            drop([id])
        case 16:
            try store.redact(Position(id))
            drop([id])
        default: try erase(id, message, conversation, store)
        }
    }

    private var filtered: Set<UInt64> = []

    private mutating func erase(
        _ id: UInt64, _ message: ShownMessage, _ conversation: ConversationKey, _ store: MessageStore
    ) throws {
        guard erasuresLeft > 0 else { return }
        erasuresLeft -= 1
        erasures += 1
        switch random.nextIndex(3) {
        case 0:
            try store.erase(.events([Position(id)]))
            drop([id])
        case 1:
            try store.erase(.users([UserID(rawValue: message.sender)], alsoMessages: true))
            drop(shown.values.filter { $0.sender == message.sender }.map(\.id))
        default:
            try store.record(Event(HistoryCleared(erases: random.chance(0.5)), in: conversation))
            drop(shown.values.filter { $0.conversation == message.conversation }.map(\.id))
        }
    }

    private mutating func set(_ id: UInt64, _ change: (inout ShownMessage) -> Void) {
        guard shown[id] != nil else { return }
        change(
            &shown[
                id,
                default: ShownMessage(
                    id: id, text: "", conversation: "", sender: "", type: "", time: 0, mentions: false)])
        changed.insert(id)
    }

    private mutating func drop(_ ids: [UInt64]) {
        for id in ids { shown[id] = nil }
        dropped += ids
    }

    /// Passes what changed since the last call to the program.
    mutating func update(_ scan: LinearScan) throws {
        try scan.drop(dropped)
        try scan.set(changed.compactMap { shown[$0] })
        (changed, dropped) = ([], [])
    }
}
#endif
