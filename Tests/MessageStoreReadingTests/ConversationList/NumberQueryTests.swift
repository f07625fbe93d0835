import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Conditions on numbers, of which an index finds ranges, against the places of the numbers in a list.
@Suite("X1: queries by ranges of numbers", .timeLimit(.minutes(30)))
struct NumberQueryTests {
    /// Numbers in ascending order; those of one line are equal. Several lines have no `Double` of their own.
    private static let numbers: [[JSONValue]] = [
        [.number(-.greatestFiniteMagnitude)], [.number(-9.3e18)], [.integer(.min), .number(-0x1p63)],
        [.integer(.min + 1)], [.integer(-9_007_199_254_740_993)], [.integer(-9_007_199_254_740_992), .number(-0x1p53)],
        [-2.5], [-1, .number(-1)], [.number(-.leastNonzeroMagnitude)], [0, .number(0), .number(-0.0)],
        [.number(.leastNonzeroMagnitude)], [0.1], [0.3], [1, .number(1)], [2.5], [3], [1_800_000_000_000],
        [.integer(9_007_199_254_740_991)], [.integer(9_007_199_254_740_992), .number(0x1p53)],
        [.integer(9_007_199_254_740_993)], [.integer(9_007_199_254_740_994), .number(0x1p53 + 2)],
        [.integer(.max - 1)], [.integer(.max)], [.number(0x1p63)], [.number(.greatestFiniteMagnitude)],
    ]
    /// Some begin with others, and one is too long for the index.
    private static let names = ["l", "level", "levels", "place.level", "", String(repeating: "n", count: 300)]
    private static let keys =
        (0..<20).map { ConversationKey.group("g\($0)") } + [.single("bob"), ConversationKey(.chatRoom, "room")]

    private enum Value: Equatable {
        case number(Int)
        case list([Int])
        case string(String)
        case bool(Bool)
        /// What no value is equal to, or less than.
        case other
    }

    private struct Known {
        var values: [String: Value] = [:]
        var strings: [String: String] = [:]
        var isHidden = false

        func value(_ name: String) -> Value? { strings[name].map { .string($0) } ?? values[name] }
    }

    private var random: SplitMix64
    private var known = Self.keys.map { _ in Known() }
    private var time: Int64 = 0

    init() { random = SplitMix64(seed: 1) }

    @Test("1,000 conditions find what they hold for, with the index and without", arguments: Seeds.first(2))
    mutating func conditions(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        let place = try TemporaryStore()
        var store = try place.open { $0.bufferBytes = 64 << 10 }
        for key in Self.keys { try store.record(message(in: key)) }
        var found = 0
        for round in 0..<20 {
            for _ in 0..<12 { try store.record(change(of: random.nextIndex(Self.keys.count))) }
            switch round % 5 {
            case 1: try store.flush()
            case 2: try store.rebuild([.conversationList])
            case 3:
                try store.close()
                store = try place.open { $0.bufferBytes = 64 << 10 }
            default: break
            }
            for _ in 0..<50 {
                let condition = condition(depth: 2)
                found += try check(condition, store, "seed \(seed), round \(round)")
            }
        }
        #expect(found > 1000)
        #expect(try store.isConsistent())
        try store.close()
    }

    /// Compares pages, counts and totals; answers how many conversations it found.
    private mutating func check(
        _ condition: ConversationCondition, _ store: MessageStore, _ context: String
    ) throws -> Int {
        var query = ConversationQuery(
            condition, includesHidden: random.chance(0.2), includesChatRooms: random.chance(0.2))
        if random.chance(0.3) { query.order = [.ascending(.attribute("level"))] }
        var plain = query
        plain.condition = .not(.not(condition))
        let expected = zip(Self.keys, known).filter { key, known in
            (query.includesHidden || !known.isHidden) && (query.includesChatRooms || key.kind != .chatRoom)
                && Self.holds(condition, known)
        }
        let limit = 1 + random.nextIndex(5)
        try store.read { views in
            try Disagreement.check(
                "count of \(condition), \(context)", try views.conversationCount(matching: query), expected.count)
            var pages: [[ConversationKey]] = []
            for query in [query, plain] {
                var (found, cursor): ([ConversationKey], PageCursor?) = ([], nil)
                repeat {
                    let page = try views.conversations(matching: query, after: cursor, limit: limit)
                    found += page.elements.map(\.key)
                    cursor = page.next
                } while cursor != nil && found.count <= expected.count
                pages.append(found)
            }
            try Disagreement.check("\(query), \(context)", Set(pages[0]), Set(expected.map(\.0)))
            try Disagreement.check("\(query) without an index, \(context)", pages[1], pages[0])
            var messages = 0
            for (key, known) in expected where !known.isHidden && key.kind != .chatRoom {
                messages += try views.unread(of: key).messages
            }
            try Disagreement.check(
                "unread of \(condition), \(context)", try views.unreadTotals(matching: condition).messages, messages)
        }
        return expected.count
    }
}

// MARK: Events

extension NumberQueryTests {
    private mutating func message(in key: ConversationKey) -> Event {
        time += 1
        return received("m\(time)", at: time, in: key)
    }

    private mutating func change(of index: Int) -> Event {
        let key = Self.keys[index]
        switch random.nextIndex(10) {
        case 0:
            known[index].isHidden = true
            return conversationDeleted(in: key)
        case 1, 2:
            known[index].isHidden = false
            return message(in: key)
        case 3: return archived(random.chance(0.5), in: key)
        case 4:
            known[index] = Known(isHidden: known[index].isHidden)
            return Event(ConversationSnapshotReceived(ConversationFields()), in: key)
        default:
            var fields = ConversationFields()
            known[index].values = [:]
            var members: [String] = []
            for name in Self.names where random.chance(0.6) {
                let (text, value) = randomValue()
                known[index].values[name] = value
                members.append(name == "place.level" ? #""place": {"level": \#(text)}"# : #""\#(name)": \#(text)"#)
            }
            fields.attributes = Array("{\(members.joined(separator: ", "))}".utf8)
            if random.chance(0.2) {
                known[index].strings = random.chance(0.5) ? ["level": "3"] : [:]
                fields.indexed = known[index].strings
            }
            return Event(ConversationUpdated(fields), in: key)
        }
    }

    /// A value as JSON; nil where it counts for none.
    private mutating func randomValue() -> (String, Value?) {
        switch random.nextIndex(12) {
        case 0: return (#""3""#, .string("3"))
        case 1: return ("true", .bool(true))
        case 2: return ("null", nil)
        case 3:
            let elements = (0..<random.nextIndex(3)).map { _ in number() }
            return ("[\(elements.map(\.text).joined(separator: ", "))]", .list(elements.map(\.place)))
        default:
            let number = number()
            return (number.text, .number(number.place))
        }
    }

    private mutating func number() -> (place: Int, text: String, value: JSONValue) {
        let place = random.nextIndex(Self.numbers.count)
        let value = Self.numbers[place][random.nextIndex(Self.numbers[place].count)]
        switch value {
        case .integer(let integer): return (place, "\(integer)", value)
        case .number(let number): return (place, "\(number)", value)
        default: return (place, "", value)
        }
    }
}

// MARK: Conditions

extension NumberQueryTests {
    private mutating func condition(depth: Int) -> ConversationCondition {
        switch random.nextIndex(depth > 0 ? 10 : 6) {
        case 6, 7: return .all((0..<2).map { _ in condition(depth: depth - 1) })
        case 8: return .any((0..<2).map { _ in condition(depth: depth - 1) })
        case 9: return .not(condition(depth: depth - 1))
        default:
            let name = random.chance(0.6) ? "level" : Self.names[random.nextIndex(Self.names.count)]
            return .attribute(name, valueCondition())
        }
    }

    private mutating func valueCondition() -> ValueCondition {
        switch random.nextIndex(14) {
        case 0...2: .greater(operand())
        case 3...5: .less(operand())
        case 6, 7: .greaterOrEqual(operand())
        case 8, 9: .lessOrEqual(operand())
        case 10: random.chance(0.5) ? .equal(operand()) : .notEqual(operand())
        case 11: random.chance(0.5) ? .oneOf([operand(), operand()]) : .noneOf([operand(), operand()])
        case 12: .contains(number().value)
        default: random.chance(0.5) ? .exists : .isMissing
        }
    }

    private mutating func operand() -> JSONValue {
        switch random.nextIndex(16) {
        case 0: .number(.nan)
        case 1: .number(random.chance(0.5) ? .infinity : -.infinity)
        case 2: random.chance(0.5) ? "3" : true
        default: number().value
        }
    }

    private static func holds(_ condition: ConversationCondition, _ known: Known) -> Bool {
        switch condition {
        case .all(let conditions): conditions.allSatisfy { holds($0, known) }
        case .any(let conditions): conditions.contains { holds($0, known) }
        case .not(let condition): !holds(condition, known)
        case .property(.attribute(let name), let condition): holds(condition, known.value(name))
        default: false
        }
    }

    private static func holds(_ condition: ValueCondition, _ value: Value?) -> Bool {
        func isOrdered(_ operand: JSONValue, _ holds: (Int, Int) -> Bool, _ strings: (String, String) -> Bool) -> Bool {
            switch (value, Self.value(operand)) {
            case (.number(let place), .number(let other)): holds(place, other)
            case (.string(let string), .string(let other)): strings(string, other)
            default: false
            }
        }
        func isEqual(_ operand: JSONValue) -> Bool { value != nil && value != .other && value == Self.value(operand) }
        return switch condition {
        case .less(let operand): isOrdered(operand, <, <)
        case .lessOrEqual(let operand): isOrdered(operand, <=, <=)
        case .greater(let operand): isOrdered(operand, >, >)
        case .greaterOrEqual(let operand): isOrdered(operand, >=, >=)
        case .equal(let operand): isEqual(operand)
        case .notEqual(let operand): !isEqual(operand)
        case .oneOf(let operands): operands.contains(where: isEqual)
        case .noneOf(let operands): !operands.contains(where: isEqual)
        case .contains(let operand):
            if case .list(let places) = value { places.contains { .number($0) == Self.value(operand) } } else { false }
        case .exists: value != nil
        case .isMissing: value == nil
        default: false
        }
    }

    /// An operand, by the line in which it is; infinity is before the first or after the last one.
    private static func value(_ operand: JSONValue) -> Value {
        switch operand {
        case .string(let string): return .string(string)
        case .bool(let bool): return .bool(bool)
        case .number(let number) where number.isNaN: return .other
        case .number(let number) where number.isInfinite: return .number(number < 0 ? -1 : numbers.count)
        default: return numbers.firstIndex { $0.contains(operand) }.map { .number($0) } ?? .other
        }
    }
}
