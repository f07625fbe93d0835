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

    /// What it says for people.
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
