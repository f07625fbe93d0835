/// A line of a stepping session, as it is understood.
enum StepInstruction: Equatable {
    case next(Int)
    case back(Int)
    case to(Moment)
    /// To where a condition becomes true, forward or back.
    case until(String, isBack: Bool)
    case event
    case diff
    case list
    case timeline(String)
    /// Of a conversation, or the totals.
    case unread(String?)
    case help
    case quit
    /// The last movement again.
    case again

    /// What can be said.
    static let guide = """
        next [N] (n)               to the next event that matches, or the Nth
        back [N] (b)               the same backwards
        to MOMENT (t)              to \(Moment.help)
        until CONDITION (u)        to the next event at which the condition becomes true
        until back CONDITION       to the last one before
        event (e)                  every field of the event
        diff (d)                   what the event changed
        list (l)                   the conversation list
        timeline CONVERSATION      its latest messages
        unread [CONVERSATION]      the totals, or what counts in one conversation
        help (h), quit (q)
        An empty line repeats the last movement.
        """

    private static let shortForms = [
        "n": "next", "b": "back", "t": "to", "u": "until", "e": "event", "d": "diff", "l": "list", "h": "help",
        "?": "help", "q": "quit",
    ]

    /// Reads a line.
    ///
    /// - Throws: ``ToolError`` for a word that there is not, and for what does not belong behind it.
    init(_ line: String) throws {
        let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        guard let first = words.first.map(String.init) else {
            self = .again
            return
        }
        let rest = words.count > 1 ? Self.trimmed(words[1]) : ""
        let word = Self.shortForms[first] ?? first
        switch word {
        case "next": self = .next(try Self.count(rest, word))
        case "back": self = .back(try Self.count(rest, word))
        case "to":
            guard let moment = Moment(argument: rest) else { throw ToolError.usage("to takes \(Moment.help)") }
            self = .to(moment)
        case "until":
            let parts = rest.split(maxSplits: 1, whereSeparator: \.isWhitespace)
            let isBack = parts.count == 2 && parts[0] == "back"
            let condition = isBack ? Self.trimmed(parts[1]) : rest
            guard !condition.isEmpty else { throw ToolError.usage("until takes a condition, such as badge > 7") }
            self = .until(condition, isBack: isBack)
        case "timeline":
            guard !rest.isEmpty else { throw ToolError.usage("timeline takes a conversation") }
            self = .timeline(rest)
        case "unread": self = .unread(rest.isEmpty ? nil : rest)
        default:
            guard let plain = Self.plain[word] else {
                throw ToolError.usage("there is no \(first); help lists what there is")
            }
            guard rest.isEmpty else { throw ToolError.usage("\(word) stands alone") }
            self = plain
        }
    }

    private static let plain: [String: StepInstruction] = [
        "event": .event, "diff": .diff, "list": .list, "help": .help, "quit": .quit,
    ]

    private static func count(_ text: String, _ word: String) throws -> Int {
        if text.isEmpty { return 1 }
        guard let count = Int(text), count > 0 else { throw ToolError.usage("\(word) takes a number above 0") }
        return count
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
