/// Finds words in prose that this project used in a sense of its own, where there is a usual word.
enum Wording {
    /// The words, with what is written instead.
    static let better: [String: String] = [
        "tell tells told telling": "report, set, record, name",
        "stand stands stood standing": "is, sorts, applies",
        "bring brings brought bringing": "load, return, add",
        "mend mends mended mending": "fix",
        "hole holes": "gap",
        "marker markers": "read marker",
        "beside behind": "next to, after",
    ]

    private static let words = Set(better.keys.flatMap { $0.split(separator: " ") })

    /// Each occurrence of one of the words.
    static func occurrences(in prose: [Substring]) -> [String] {
        var previous: Substring = ""
        var found: [String] = []
        for line in prose {
            for word in line.split(whereSeparator: { !$0.isLetter }) {
                defer { previous = word }
                guard word.utf8.count <= 8 else { continue }
                let word = Substring(word.lowercased())
                if words.contains(word), !(word.hasPrefix("marker") && previous == "read") {
                    found.append(String(word))
                }
            }
        }
        return found
    }

    /// The prose of a document, without its code.
    static func prose(ofDocument text: String) -> [Substring] {
        var isCode = false
        return text.split(separator: "\n").flatMap { line -> [Substring] in
            guard !line.hasPrefix("```") else {
                isCode.toggle()
                return []
            }
            return isCode ? [] : withoutCode(line)
        }
    }

    /// The comments and strings of a source text.
    static func prose(ofSource text: String) -> [Substring] {
        var isString = false
        return text.split(separator: "\n").flatMap { line -> [Substring] in
            let content = line.drop { $0 == " " }
            if content.hasPrefix("//") { return withoutCode(content) }
            let quotes = line.split(separator: "\"\"\"", omittingEmptySubsequences: false)
            guard quotes.count == 1 else {
                if quotes.count.isMultiple(of: 2) { isString.toggle() }
                return []
            }
            return isString ? [line] : strings(line)
        }
    }

    private static let headless: Set<Substring> = ["What", "Where", "That", "Those", "These", "Which"]

    /// The first words of comments and of their sentences that leave out of what they speak, and each "nil where".
    static func headlessSentences(ofSource text: String) -> [String] {
        var (blocks, isOpen): ([String], Bool) = ([], false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let content = line.drop { $0 == " " }
            guard content.hasPrefix("//") else {
                isOpen = false
                continue
            }
            let words = content.drop { $0 == "/" || $0 == " " }
            // A blank line and a list's item begin another one.
            if !isOpen || words.isEmpty || words.hasPrefix("- ") { blocks.append("") }
            blocks[blocks.count - 1] += words + " "
            isOpen = true
        }
        return blocks.flatMap { block in
            let sentences = block.split(separator: #/[.:] /#).map { $0.drop { $0 == "-" || $0 == " " } }
            let first = sentences.compactMap { $0.split(separator: " ", maxSplits: 1).first }
            return first.filter(headless.contains).map(String.init)
                + block.matches(of: #/\b[Nn]il where\b/#).map { String($0.output) }
        }
    }

    /// Identifiers of code with a word that no other place uses for what they name.
    static func identifiers(ofSource text: String) -> [String] {
        // An expression takes long for each line of all sources.
        guard text.lowercased().contains("told") else { return [] }
        return text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            .flatMap { $0.matches(of: #/\b(?:\w*Told|told|untold)\w*\b/#).map { String($0.output) } }
    }

    /// The parts of a line that are not between backticks.
    private static func withoutCode(_ line: Substring) -> [Substring] {
        let parts = line.split(separator: #/`+/#, omittingEmptySubsequences: false)
        return stride(from: 0, to: parts.count, by: 2).map { parts[$0] }
    }

    private static func strings(_ line: Substring) -> [Substring] {
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
    }
}
