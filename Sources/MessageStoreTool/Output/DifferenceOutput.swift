internal import MessageStore

/// A row that differs as JSON, under the names that a command has for the two builds.
struct DifferenceOutput: Encodable {
    let difference: RowDifference
    let first: String
    let second: String

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var row = encoder.container(keyedBy: Name.self)
        try row.encode(difference.projection.rawValue, forKey: Name("projection"))
        try row.encode(difference.table, forKey: Name("table"))
        if let keyParts = difference.keyParts {
            var list = row.nestedUnkeyedContainer(forKey: Name("keyParts"))
            for part in keyParts { try list.encode(["name": part.name, "value": part.value]) }
        } else {
            try row.encode(difference.key, forKey: Name("key"))
        }
        if difference.first == nil { try row.encode(true, forKey: Name("isNew")) }
        if difference.second == nil { try row.encode(true, forKey: Name("isGone")) }
        if let parts = difference.parts {
            var list = row.nestedUnkeyedContainer(forKey: Name("parts"))
            for part in parts {
                var values = ["name": part.name]
                values[first] = part.first
                values[second] = part.second
                try list.encode(values)
            }
        } else {
            try row.encodeIfPresent(difference.first, forKey: Name(first))
            try row.encodeIfPresent(difference.second, forKey: Name(second))
        }
    }
}

extension RowDifference {
    /// Table and key; in hexadecimal where it cannot be decoded.
    var title: String {
        "\(table) " + (keyParts.map { $0.map { "\($0.name)=\($0.value)" }.joined(separator: " ") } ?? "key \(key)")
    }

    /// All parts of a row that only one build has; nil where both have one, or it cannot be decoded.
    var onlyRow: String? {
        guard first == nil || second == nil else { return nil }
        return parts?.map { "\($0.name)=\($0.first ?? $0.second ?? "")" }.joined(separator: " ")
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

extension [RowDifference] {
    /// Prints the rows under the names of their projections, each with what differs.
    ///
    /// - Parameter count: How many rows differ in all.
    func printGrouped(of count: Int) {
        var projection: ProjectionID?
        for difference in self {
            if difference.projection != projection { print(difference.projection.rawValue.terminalSafe) }
            projection = difference.projection
            for line in difference.changeLines { print("  \(line.terminalSafe)") }
        }
        if count > self.count { print("\(count - self.count) more; --limit shows them.") }
    }
}

extension RowDifference {
    /// Table and key, then what changed; in hexadecimal where it cannot be decoded.
    fileprivate var changeLines: [String] {
        let title = title + (first == nil ? " (new)" : second == nil ? " (gone)" : "")
        guard let parts else { return [title, "  \(first ?? "(no row)") -> \(second ?? "(no row)")"] }
        if let onlyRow { return onlyRow.isEmpty ? [title] : [title, "  \(onlyRow)"] }
        return [title] + parts.map { "  \($0.name): \($0.first ?? "(none)") -> \($0.second ?? "(none)")" }
    }
}
