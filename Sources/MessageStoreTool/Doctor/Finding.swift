internal import MessageStore

/// One place in a log where something may be wrong.
struct Finding: Encodable {
    let position: Position?
    let conversation: ConversationKey?
    /// Numbers and ids that tell more, with names where they are to be shown; never words of people.
    let note: ((Names?) -> String)?
    /// What the command that looks closer is about, where neither the position nor the conversation says it.
    private(set) var topic: String?

    private enum Key: String, CodingKey { case position, conversation, note }

    init(
        at position: Position? = nil, in conversation: ConversationKey? = nil, _ note: String? = nil,
        topic: String? = nil
    ) {
        self.init(at: position, in: conversation, note.map { note in { _ in note } }, topic: topic)
    }

    init(
        at position: Position? = nil, in conversation: ConversationKey? = nil, _ note: ((Names?) -> String)?,
        topic: String? = nil
    ) {
        (self.position, self.conversation, self.note, self.topic) = (position, conversation, note, topic)
    }

    /// What it says for people.
    func words(_ names: Names) -> String {
        [position.map { "at \($0)" }, conversation.map { "in \(names.label(of: $0))" }, note?(names)]
            .compactMap { $0 }.joined(separator: ", ")
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(position, forKey: .position)
        try container.encodeIfPresent(conversation?.description, forKey: .conversation)
        try container.encodeIfPresent(note?(nil), forKey: .note)
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

    mutating func remove(at position: Position) {
        first.removeAll { $0.position == position }
        count -= 1
    }

    /// Adds findings that come after these.
    mutating func add(_ others: Findings) {
        first += others.first.prefix(limit - first.count)
        count += others.count
    }
}
