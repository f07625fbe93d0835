internal import MessageStore

/// One place in a log where something may be wrong.
struct Finding {
    let position: Position?
    let conversation: ConversationKey?
    /// Numbers and ids with details, with names where they are to be shown; never user-written text.
    let note: ((Names?) -> String)?
    /// The topic of the command that looks closer, if neither the position nor the conversation names it.
    private(set) var topic: String?

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

    var object: JSONObject {
        ["position": position, "conversation": conversation?.description, "note": note?(nil)]
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

    /// The first findings for people, and how many more there are.
    func lines(_ names: Names) -> [String] {
        let more = count > first.count ? ["    and \(NumberFormat.count(count - first.count)) more"] : []
        return first.map { "    \($0.words(names))" } + more
    }

    /// Adds findings that come after these.
    mutating func add(_ others: Findings) {
        first += others.first.prefix(limit - first.count)
        count += others.count
    }
}
