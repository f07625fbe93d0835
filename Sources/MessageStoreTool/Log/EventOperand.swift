/// A field of events, or a constant, as `--where` and `--tally` take them: `upTo`, `upTo.ms`, `recordedTime + 1h`,
/// `laptop`.
struct EventOperand: Sendable {
    /// A value, compared by its number if both have one: times are milliseconds, and a place counts by its time.
    struct Value: Hashable {
        let text: String
        var number: Int64?
    }

    /// The part of a time or of a place that is meant.
    private enum Part: String {
        case id, ms, day
    }

    let text: String
    /// The field; nil for a constant.
    let field: String?
    private let part: Part?
    private let constant: Value?
    /// Whether it is a word without quotes that is no field, number or time.
    let isWord: Bool
    /// The number to add.
    private let offset: Int64

    /// - Parameter fields: The names that events have; everything else is a constant.
    init(_ text: String, fields: Set<String>) {
        self.text = text
        var name = text[...]
        var offset: Int64 = 0
        if let match = text.wholeMatch(of: #/(.*\S)\s+([+-])\s*(\d{1,9})\s*(ms|s|m|min|h|d)/#)?.output {
            let units: [Substring: Int64] = ["ms": 1, "s": 1_000, "h": 3_600_000, "d": 86_400_000]
            offset = (Int64(match.3) ?? 0) * (units[match.4] ?? 60_000) * (match.2 == "-" ? -1 : 1)
            name = match.1
        }
        self.offset = offset
        let parts = name.split(separator: ".", maxSplits: 1)
        if fields.contains(String(name)) {
            (field, part, constant, isWord) = (String(name), nil, nil, false)
        } else if parts.count == 2, fields.contains(String(parts[0])), let part = Part(rawValue: String(parts[1])) {
            (field, self.part, constant, isWord) = (String(parts[0]), part, nil, false)
        } else {
            let quotes = name.count > 1 && name.first == name.last && (name.first == "'" || name.first == "\"")
            let plain = String(quotes ? name.dropFirst().dropLast() : name)
            let number = quotes ? nil : Int64(plain) ?? Timestamp(iso8601: plain)?.milliseconds
            (field, part) = (nil, nil)
            isWord = !quotes && number == nil && plain != "none"
            constant = !quotes && plain == "none" ? nil : Value(text: plain, number: number.map { $0 &+ offset })
        }
    }

    /// Whether its values are days, which are compared as text.
    var isDay: Bool { part == .day }

    /// The value in an event; nil if it has none, and for the constant `none`.
    func value(in event: RecordedEvent, _ hosts: HostEvents) -> Value? {
        guard let field else { return constant }
        guard var value = Self.value(of: field, in: event, hosts) else { return nil }
        switch part {
        case nil: break
        case .id: value = Value(text: String(value.text.split(separator: " ", maxSplits: 1).dropFirst().first ?? ""))
        case .ms:
            guard let time = value.number else { return nil }
            let milliseconds = (time % 1_000 + 1_000) % 1_000
            value = Value(text: String(milliseconds), number: milliseconds)
        case .day:
            value = Value(text: String(Timestamp(milliseconds: value.number ?? 0).description.prefix { $0 != "T" }))
        }
        value.number = value.number.map { $0.addingReportingOverflow(offset).partialValue }
        return value
    }

    private static func value(of name: String, in event: RecordedEvent, _ hosts: HostEvents) -> Value? {
        func number(_ number: UInt64) -> Value { Value(text: String(number), number: Int64(clamping: number)) }
        func text(_ text: String?) -> Value? { text.map { Value(text: $0) } }
        func time(_ time: Timestamp) -> Value { Value(text: "\(time)", number: time.milliseconds) }
        switch name {
        case "position": return number(event.position.rawValue)
        case "commit": return number(event.commit.rawValue)
        case "recordedTime": return time(event.clockTime)
        case "serverTime": return event.event.serverTime.map(time)
        case "version": return number(UInt64(event.event.payload.schemaVersion))
        case "type": return text(hosts.typeName(of: event))
        case "conversation": return text(event.source.conversation?.description)
        case "origin": return text(event.source.origin.description)
        case "id": return text(event.event.id?.rawValue)
        case "device": return text(event.event.device?.rawValue)
        case "isRedacted": return text(String(event.isRedacted))
        default: break
        }
        guard let field = hosts.fieldTexts(of: event.event).first(where: { $0.name == name }), let text = field.text
        else { return nil }
        let isTimed = [.time, .order, .number, .signedNumber].contains(field.type.kind) && !field.type.isList
        guard isTimed else { return Value(text: text) }
        let first = String(text.prefix { $0 != " " })
        let time = first == "unknown" ? Timestamp.unknown : Timestamp(iso8601: first)
        return Value(text: text, number: time?.milliseconds ?? Int64(first))
    }
}

/// A comparison of a field of each event with a constant or another field, such as `upTo > recordedTime`.
struct EventComparison: Sendable {
    let first: EventOperand
    let second: EventOperand
    private let comparison: ConditionOperator

    /// - Throws: ``ToolError`` if it is no comparison, or names a field that no event has.
    init(_ text: String, fields: Set<String>) throws {
        let places = text.indices.lazy.compactMap { index in
            ConditionOperator.allCases.first { text[index...].hasPrefix($0.rawValue) }.map { (index, $0) }
        }
        guard let (index, comparison) = places.first else {
            throw ToolError.usage("\(text): compare a field with == != < <= > >=, as in 'upTo > recordedTime'")
        }
        func operand(_ text: Substring) -> EventOperand {
            EventOperand(String(text.wholeMatch(of: #/\s*(.*?)\s*/#)?.output.1 ?? text), fields: fields)
        }
        first = operand(text[..<index])
        second = operand(text[text.index(index, offsetBy: comparison.rawValue.count)...])
        self.comparison = comparison
        guard !first.text.isEmpty, !second.text.isEmpty else { throw ToolError.usage("\(text): one side is missing") }
        guard first.field != nil || second.field != nil else {
            throw ToolError.usage("no event has a field \(first.text); `log STORE --types` lists them")
        }
        for (word, other) in [(first, second), (second, first)] where word.isWord {
            if word.text.contains(where: { "<>=!".contains($0) }) {
                throw ToolError.usage("\(text): compare with one operator; text that has one is written in quotes")
            }
            if comparison != .equal, comparison != .notEqual, !other.isDay {
                throw ToolError.usage("\(word.text) is no field, number or time; text is written in quotes")
            }
        }
    }

    func holds(for event: RecordedEvent, _ hosts: HostEvents) -> Bool {
        let (first, second) = (first.value(in: event, hosts), second.value(in: event, hosts))
        guard let first, let second else {
            return comparison == .equal ? first == second : comparison == .notEqual && first != second
        }
        if let one = first.number, let other = second.number { return comparison.holds(one, other) }
        return comparison.holds(first.text, second.text)
    }
}
