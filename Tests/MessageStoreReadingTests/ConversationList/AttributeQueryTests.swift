import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Queries by attributes as LeanCloud's servers give them: a JSON object.
@Suite("X1: queries by the values of attributes", .store)
struct AttributeQueryTests {
    private static let attributes: [(String, String)] = [
        ("cats", #"{"topic": "cats", "level": 3, "open": true, "labels": ["a", 7, true], "place": {"city": "上海"}}"#),
        ("dogs", #"{"topic": "dogs and cats", "level": 10, "open": false, "labels": [], "place": {"city": "北京"}}"#),
        ("half", #"{"topic": null, "level": 2.5, "labels": "a b", "place.city": "上海"}"#),
        ("none", "not JSON"),
    ]

    private func filled(_ store: MessageStore) throws {
        for (index, (id, attributes)) in Self.attributes.enumerated() {
            let fields = ConversationFields(attributes: Array(attributes.utf8))
            // The last one is the latest.
            let time = ms(Int64(index + 1))
            try store.record(Event(ConversationCreated(fields), in: .group(id), serverTime: time))
        }
    }

    private func found(_ query: ConversationQuery, _ store: MessageStore) throws -> [String] {
        try store.read { try $0.conversations(matching: query).elements.map(\.key.id) }
    }

    @Test(
        "d40: values of attributes are compared by type and value; what is missing is unequal to everything",
        arguments: [
            ("topic", .equal("cats"), ["cats"]), ("topic", .contains("cats"), ["dogs", "cats"]),
            ("topic", .hasPrefix("dogs"), ["dogs"]), ("topic", .hasSuffix("ats"), ["dogs", "cats"]),
            ("topic", .notEqual("cats"), ["none", "half", "dogs"]), ("topic", .isMissing, ["none", "half"]),
            ("level", .equal(3.0), ["cats"]), ("level", .greater(2), ["half", "dogs", "cats"]),
            ("level", .less(3), ["half"]), ("level", .lessOrEqual(3), ["half", "cats"]),
            ("level", .greater("2"), []), ("level", .oneOf([10, 2.5, "3"]), ["half", "dogs"]),
            ("level", .noneOf([10, 2.5]), ["none", "cats"]), ("open", .equal(false), ["dogs"]),
            ("open", .greaterOrEqual(false), []), ("open", .exists, ["dogs", "cats"]),
            ("labels", .contains("a"), ["half", "cats"]), ("labels", .contains(7), ["cats"]),
            ("labels", .contains(1), []), ("labels", .equal("a"), []), ("place.city", .equal("上海"), ["half", "cats"]),
            ("place", .exists, []), ("other", .exists, []),
        ] as [(String, ValueCondition, [String])])
    func values(name: String, condition: ValueCondition, expected: [String]) throws {
        try filled(store)
        #expect(try found(ConversationQuery(.attribute(name, condition)), store) == expected)
        // The same without an index.
        let other = ConversationQuery(.not(.not(.attribute(name, condition))))
        #expect(try found(other, store) == expected)
    }

    @Test("attributes that change or go leave the index")
    func changes() throws {
        try filled(store)
        func update(_ attributes: String) throws {
            let fields = ConversationFields(attributes: Array(attributes.utf8))
            try store.record(Event(ConversationUpdated(fields), in: .group("cats")))
        }
        try update(#"{"level": 4}"#)
        #expect(try found(ConversationQuery(.attribute("topic", .equal("cats"))), store) == [])
        #expect(try found(ConversationQuery(.attribute("labels", .contains(7))), store) == [])
        #expect(try found(ConversationQuery(.attribute("level", .equal(4))), store) == ["cats"])
        try store.record(Event(ConversationSnapshotReceived(ConversationFields()), in: .group("cats")))
        #expect(try found(ConversationQuery(.attribute("level", .equal(4))), store) == [])
    }

    /// Values that are JSON, and that nothing can be compared with.
    private static let oddValues: [String] = [
        "1e999", "-1e999", "[1, 1e999]", #"{"inner": 1e999, "other": 1}"#, #""\ud800""#,
        String(repeating: "[", count: 70) + "1" + String(repeating: "]", count: 70),
        // Deeper than decoders go, with brackets in strings.
        String(repeating: "[", count: 2000) + #""]\"]""# + String(repeating: "]", count: 2000),
        String(repeating: #"{"a":"#, count: 2000) + "1" + String(repeating: "}", count: 2000),
    ]

    @Test("d40: an attribute that cannot be read costs no other", arguments: oddValues)
    func unreadable(value: String) throws {
        for (id, json) in [
            ("last", #"{"topic": "cats", "place": {"city": "上海"}, "odd": \#(value)}"#),
            ("first", #"{"odd": \#(value), "level": 3, "topic": "cats"}"#), ("without", #"{"topic": "cats"}"#),
        ] {
            let fields = ConversationFields(attributes: Array(json.utf8))
            try store.record(Event(ConversationUpdated(fields), in: .group(id)))
        }
        func ids(_ name: String, _ condition: ValueCondition) throws -> [String] {
            try found(ConversationQuery(.attribute(name, condition)), store).sorted()
        }
        #expect(try ids("topic", .equal("cats")) == ["first", "last", "without"])
        #expect(try ids("place.city", .equal("上海")) == ["last"] && ids("level", .less(4)) == ["first"])
        #expect(try ids("odd", .exists) == [] && ids("odd.other", .exists) == [])
    }

    @Test("d40: of numbers past 64 bits and of a name that is there twice nothing else depends")
    func oddities() throws {
        let json = #"{"huge": 123456789012345678901234567890, "twice": 1, "twice": 1, "topic": "cats"}"#
        let fields = ConversationFields(attributes: Array(json.utf8))
        try store.record(Event(ConversationUpdated(fields), in: group))
        #expect(try found(ConversationQuery(.attribute("topic", .equal("cats"))), store) == [group.id])
        #expect(try found(ConversationQuery(.attribute("huge", .greater(1e29))), store) == [group.id])
        #expect(try found(ConversationQuery(.attribute("twice", .equal(1))), store) == [group.id])
    }

    /// Names with escapes that are none, in their quotation marks.
    private static let oddNames: [String] = [#""\ud800""#, #""a\udc00b""#, #""\x""#, #""\u12""#, #""\ud800\"]""#]

    @Test("d40: a name that cannot be read costs no other attribute", arguments: oddNames)
    func unreadableName(name: String) throws {
        // A name that could stand for the broken one is there itself.
        for (id, json) in [
            ("first", #"{\#(name): 7, "topic": "cats", "0": "zero"}"#),
            ("last", #"{"topic": "cats", "list": [1, "x", {"a": 1}], "0": "zero", \#(name): {"topic": "dogs"}}"#),
            ("twice", #"{"0": "zero", \#(name): [1, 2], "topic": "cats", \#(name) : "x"}"#),
        ] {
            let fields = ConversationFields(attributes: Array(json.utf8))
            try store.record(Event(ConversationUpdated(fields), in: .group(id)))
        }
        let broken = ConversationFields(attributes: Array(#"{\#(name): , "topic": "cats"}"#.utf8))
        try store.record(Event(ConversationUpdated(broken), in: .group("broken")))
        func ids(_ name: String, _ condition: ValueCondition) throws -> [String] {
            try found(ConversationQuery(.attribute(name, condition)), store).sorted()
        }
        #expect(try ids("topic", .equal("cats")) == ["first", "last", "twice"])
        #expect(try ids("0", .equal("zero")) == ["first", "last", "twice"])
        #expect(try ids("1", .exists) == [])
    }

    /// What no reader of JSON accepts.
    private static let brokenObjects: [String] = [
        #"{"topic": "cats""#, #"{"topic": "cats", "odd": }"#, #"{"topic": "cats", "odd": [1}"#,
        #"[{"topic": "cats"}]"#, #"{"topic": "cats", odd}"#, "{" + String(repeating: "[", count: 2000),
        #"{"topic": "cats", "odd": "# + String(repeating: "[", count: 2000) + "}",
    ]

    @Test("d40: JSON that is broken as a whole has no attributes", arguments: brokenObjects)
    func broken(json: String) throws {
        let fields = ConversationFields(attributes: Array(json.utf8))
        try store.record(Event(ConversationUpdated(fields), in: group))
        #expect(try found(ConversationQuery(.attribute("topic", .exists)), store) == [])
        #expect(try found(ConversationQuery(.attribute("topic", .isMissing)), store) == [group.id])
    }

    @Test("a host's own string goes before the value of the same name")
    func indexed() throws {
        let fields = ConversationFields(attributes: Array(#"{"type": 1}"#.utf8), indexed: ["type": "one"])
        try store.record(Event(ConversationUpdated(fields), in: group))
        #expect(try found(ConversationQuery(.attribute("type", .equal("one"))), store) == [group.id])
        #expect(try found(ConversationQuery(.attribute("type", .equal(1))), store) == [])
    }

    @Test("of paths that read alike one is found, the same each time; long names and many values have a bound")
    func bounds() throws {
        let place = try TemporaryStore()
        let long = String(repeating: "k", count: 1025)
        let many = (0..<1100).map { #""n\#(1000 + $0)": 1"# }.joined(separator: ",")
        let alike =
            #"{"a": {"b.c": 1}, "a.b": {"c": 2}, "\#(long)": 3, "\#(long)x": {"0": 4}, "\#(long.dropLast())": 5}"#
        try place.withStore { store throws in
            for (id, json) in [("alike", alike), ("many", "{\(many)}")] {
                let fields = ConversationFields(attributes: Array(json.utf8))
                try store.record(Event(ConversationUpdated(fields), in: .group(id)))
            }
            #expect(try found(ConversationQuery(.attribute("a.b.c", .equal(1))), store) == ["alike"])
            #expect(try found(ConversationQuery(.attribute("a.b.c", .equal(2))), store) == [])
            #expect(try found(ConversationQuery(.attribute(long, .exists)), store) == [])
            #expect(try found(ConversationQuery(.attribute("\(long)x.0", .exists)), store) == [])
            #expect(try found(ConversationQuery(.attribute(String(long.dropLast()), .exists)), store) == ["alike"])
            #expect(try found(ConversationQuery(.attribute("n1999", .exists)), store) == ["many"])
            #expect(try found(ConversationQuery(.attribute("n2000", .exists)), store) == [])
            #expect(try store.isConsistent())
        }
    }

    @Test("an order sorts by its properties in turn, what is missing last; pages continue where the last one ended")
    func pages() throws {
        try withTemporaryStore { store throws in
            try filled(store)
            let query = ConversationQuery(order: [.descending(.attribute("level")), .ascending(.id)])
            #expect(try found(query, store) == ["dogs", "cats", "half", "none"])
            #expect(try store.read { try $0.conversationCount(matching: query) } == 4)
            let first = try store.read { try $0.conversations(matching: query, limit: 2) }
            #expect(first.elements.map(\.key.id) == ["dogs", "cats"])
            // The first one falls behind: the next page is not disturbed.
            let fields = ConversationFields(attributes: Array(#"{"level": 100}"#.utf8))
            try store.record(Event(ConversationUpdated(fields), in: .group("none")))
            let second = try store.read { try $0.conversations(matching: query, after: first.next, limit: 2) }
            #expect(second.elements.map(\.key.id) == ["half"] && second.next == nil)
            expectError(.invalidArgument) {
                _ = try store.read { try $0.conversations(matching: ConversationQuery(), after: first.next) }
            }
            expectError(.invalidArgument) { _ = try store.read { try $0.conversations(after: first.next) } }
            let other = ConversationQuery(order: [.ascending(.unreadCount), .ascending(.id)])
            expectError(.invalidArgument) {
                _ = try store.read { try $0.conversations(matching: other, after: first.next) }
            }
        }
    }

    @Test(
        "values are compared with strings, numbers and booleans alone",
        arguments: [.null, [1], ["a": 1]] as [JSONValue])
    func wrongOperands(value: JSONValue) throws {
        let conditions: [ConversationCondition] = [
            .name(.equal(value)), .not(.attribute("a", .oneOf([1, value]))),
            .all([.attribute("a", .contains(value))]),
        ]
        for condition in conditions {
            expectError(.invalidArgument) { _ = try found(ConversationQuery(condition), store) }
        }
    }
}
