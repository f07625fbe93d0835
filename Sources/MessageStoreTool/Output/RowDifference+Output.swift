extension RowDifference {
    /// The row as JSON, under the names that a command has for the two builds.
    func object(first: String, second: String) -> JSONObject {
        let changed = parts?.map { ["name": $0.name, first: $0.first, second: $0.second] as JSONObject }
        return [
            "projection": projection.rawValue, "table": table,
            "keyParts": keyParts?.map { ["name": $0.name, "value": $0.value] }, "key": keyParts == nil ? key : nil,
            "isNew": self.first == nil ? true : nil, "isGone": self.second == nil ? true : nil, "parts": changed,
            first: changed == nil ? self.first : nil, second: changed == nil ? self.second : nil,
        ]
    }

    /// Table and key; in hexadecimal if it cannot be decoded.
    ///
    /// - Parameter names: The names to show with ids; nil for ids alone.
    func title(_ names: Names? = nil) -> String {
        guard let keyParts else { return "\(table) key \(key)" }
        let words = keyParts.map { part in
            let label =
                switch part.name {
                case "conversation": ConversationKey(part.value).flatMap { names?.label(of: $0) }
                case "user", "member": names?.label(of: UserID(part.value))
                default: String?.none
                }
            return "\(part.name)=\(label ?? part.value)"
        }
        return "\(table) \(words.joined(separator: " "))"
    }

    /// All parts of a row that only one build has; nil if both have one, or it cannot be decoded.
    var onlyRow: String? {
        guard first == nil || second == nil else { return nil }
        return parts.map(Self.words)
    }

    private static func words(_ parts: [Part]) -> String {
        parts.map { "\($0.name)=\($0.first ?? $0.second ?? "")" }.joined(separator: " ")
    }
}

extension RowDifferences {
    /// How many rows of each table differ, a line for each projection.
    var tableLines: [String] {
        var lines: [(projection: ProjectionID, words: [String])] = []
        for table in tables {
            if lines.last?.projection != table.projection { lines.append((table.projection, [])) }
            lines[lines.count - 1].words.append("\(table.name) \(NumberFormat.count(table.count))")
        }
        return lines.map { "\($0.projection.rawValue): \($0.words.joined(separator: ", "))" }
    }
}

extension RowDifference {
    /// Tables whose rows only the store itself reads.
    private static let internalTables: Set = [
        "identities", "conversationOrder", "conversationNumbers", "conversationIndex", "timelineRanges",
        "timelineHeads", "timelineEvents", "chatRoomReturns", "deviceLines", "markedMessages", "localFileOrder",
    ]
    /// Values that only say where a row is from, or how the store orders it.
    private static let internalParts: Set = [
        "position", "setHash", "invertedActivity", "invertedTime", "draftPosition", "sessionPosition",
        "verdictPosition", "mentionsPosition", "contentPosition",
    ]
    /// The names of tables and values of the store's bookkeeping, which the page folds away.
    static var bookkeeping: JSONObject { ["tables": internalTables.ordered(), "parts": internalParts.ordered()] }
    /// The values that a new row has in the place of missing ones.
    private static let nothing: Set = [nil, "", "none", "unknown", "0", "0 bytes", "false"]

    /// Whether the changed part is of interest to the store alone: an index, or the position of a row's last event.
    var isBookkeeping: Bool {
        if Self.internalTables.contains(table) || keyParts?.first?.name == "index" { return true }
        guard first != nil, second != nil, let parts, !parts.isEmpty else { return false }
        return parts.allSatisfy { Self.internalParts.contains($0.name) }
    }

    /// The parts that differ, without the store's bookkeeping.
    private var shownParts: [Part]? {
        parts?.filter { part in
            guard !Self.internalParts.contains(part.name) else { return false }
            return first != nil && second != nil || !Self.nothing.contains(part.first ?? part.second)
        }
    }

    /// Table and key, then the changes; in hexadecimal if it cannot be decoded.
    fileprivate func changeLines(_ names: Names, all: Bool) -> [String] {
        let title = title(names) + (first == nil ? " (new)" : second == nil ? " (gone)" : "")
        guard let parts = all ? parts : shownParts else {
            return [title, "  \(first ?? "(no row)") -> \(second ?? "(no row)")"]
        }
        if first == nil || second == nil { return parts.isEmpty ? [title] : [title, "  \(Self.words(parts))"] }
        return [title] + parts.map { "  \($0.name): \($0.first ?? "(none)") -> \($0.second ?? "(none)")" }
    }
}

extension [RowDifference] {
    /// Prints the rows under the names of their projections, each with its differences.
    ///
    /// - Parameters:
    ///   - count: How many rows differ in all.
    ///   - all: Whether the store's bookkeeping is shown.
    func printGrouped(of count: Int, _ names: Names, all: Bool) {
        var projection: ProjectionID?
        for difference in self {
            if difference.projection != projection { print(difference.projection.rawValue.terminalSafe) }
            projection = difference.projection
            for line in difference.changeLines(names, all: all) { print("  \(line.terminalSafe)") }
        }
        if count > self.count { print("\(count - self.count) more; --limit shows them.") }
    }
}
