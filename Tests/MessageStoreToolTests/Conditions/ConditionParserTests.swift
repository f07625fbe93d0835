import Foundation
import MessageStore
import MessageStoreWorkload
import Testing

@testable import MessageStoreTool

/// A condition, its terms, values of them, and what it then is.
struct ConditionSample: Sendable, CustomTestStringConvertible {
    let text: String
    let terms: [String]
    let values: [ConditionValue]
    let isTrue: Bool

    init(_ text: String, _ terms: [String], _ values: [ConditionValue], _ isTrue: Bool) {
        (self.text, self.terms, self.values, self.isTrue) = (text, terms, values, isTrue)
    }

    var testDescription: String { text }
}

@Suite("The language of conditions")
struct ConditionParserTests {
    static let samples: [ConditionSample] = [
        ConditionSample("badge >= 7", ["badge"], [.number(7)], true),
        ConditionSample("badge>7", ["badge"], [.number(7)], false),
        ConditionSample("7<badge", ["badge"], [.number(8)], true),
        ConditionSample("badge <= 7", ["badge"], [.number(8)], false),
        ConditionSample("badge() != 0", ["badge()"], [.number(0)], false),
        ConditionSample("(badge) == (7)", ["badge"], [.number(7)], true),
        ConditionSample(
            "unread(team) > shown(team)", ["unread(team)", "shown(team)"], [.number(4), .number(2)], true),
        ConditionSample(" unread( team )>0", ["unread( team )"], [.number(1)], true),
        ConditionSample("unread(\"my, \\\"team\\\"\") > 0", ["unread(\"my, \\\"team\\\"\")"], [.number(1)], true),
        ConditionSample("unread('it is') > 0", ["unread('it is')"], [.number(0)], false),
        ConditionSample("unread(17:desk#support) == 0", ["unread(17:desk#support)"], [.number(0)], true),
        ConditionSample("unread(群) > 0", ["unread(群)"], [.number(1)], true),
        ConditionSample("status(12) == failed", ["status(12)"], [.status("failed")], true),
        ConditionSample("failed != status(team, m1)", ["status(team, m1)"], [.status("sent")], true),
        ConditionSample("status(m) == 'none'", ["status(m)"], [.status("none")], true),
        ConditionSample(
            "status(a) == status(b)", ["status(a)", "status(b)"], [.status("sent"), .status("read")], false),
        ConditionSample("member(team, bob)", ["member(team, bob)"], [.truth(true)], true),
        ConditionSample("not member(team, bob)", ["member(team, bob)"], [.truth(true)], false),
        ConditionSample("!exists(team)", ["exists(team)"], [.truth(false)], true),
        ConditionSample("!!exists(team)", ["exists(team)"], [.truth(true)], true),
        ConditionSample("exists(team) == false", ["exists(team)"], [.truth(false)], true),
        ConditionSample("exists(a) == exists(b)", ["exists(a)", "exists(b)"], [.truth(true), .truth(false)], false),
        ConditionSample("badge > 1 and badge < 5", ["badge"], [.number(3)], true),
        ConditionSample("badge > 1 && badge < 5", ["badge"], [.number(5)], false),
        ConditionSample("badge > 5 or exists(a)", ["badge", "exists(a)"], [.number(3), .truth(true)], true),
        ConditionSample("badge > 5 || exists(a)", ["badge", "exists(a)"], [.number(3), .truth(false)], false),
        // `and` binds closer than `or`, and `not` closer than both.
        ConditionSample(
            "exists(a) or exists(b) and exists(c)", ["exists(a)", "exists(b)", "exists(c)"],
            [.truth(true), .truth(false), .truth(false)], true),
        ConditionSample(
            "(exists(a) or exists(b)) and exists(c)", ["exists(a)", "exists(b)", "exists(c)"],
            [.truth(true), .truth(false), .truth(false)], false),
        ConditionSample(
            "not exists(a) and exists(b)", ["exists(a)", "exists(b)"], [.truth(false), .truth(false)], false),
        ConditionSample(
            "not (exists(a) and exists(b))", ["exists(a)", "exists(b)"], [.truth(false), .truth(false)], true),
        ConditionSample("not badge > 3", ["badge"], [.number(2)], true),
        ConditionSample("name(bob) == 'sent'", ["name(bob)"], [.text("sent")], true),
        ConditionSample("none == text(m)", ["text(m)"], [.status("none")], true),
        ConditionSample(
            "text(m) == name(a)", ["text(m)", "name(a)"], [.text("x", isContent: true), .text("x")], true),
        ConditionSample(
            "readUpTo(a) >= 2026-11-20", ["readUpTo(a)"], [.time(Timestamp(milliseconds: 1_795_132_800_000))], true),
        ConditionSample(
            "readUpTo(a) < readUpTo(b)", ["readUpTo(a)", "readUpTo(b)"], [.status("none"), .status("none")], false),
        ConditionSample("true", [], [], true),
        ConditionSample("1 == 2 or false", [], [], false),
    ]

    @Test("a condition has the terms that it names, each once, and the value that they make", arguments: samples)
    func value(sample: ConditionSample) throws {
        var parser = ConditionParser(sample.text)
        let node = try parser.condition()
        #expect(parser.terms.map(\.text) == sample.terms)
        #expect(node.value(sample.values) == .truth(sample.isTrue))
    }

    @Test("names, the greatest number, the depth of parentheses, and the mark under a wrong character")
    func names() throws {
        var parser = ConditionParser("exists( 'a \\'b\\' \\\\' , m:1#x ) and member(\"\",bob)")
        _ = try parser.condition()
        #expect(parser.terms.map { $0.arguments.map(\.text) } == [["a 'b' \\", "m:1#x"], ["", "bob"]])
        func parsed(_ text: String) throws -> ConditionNode {
            var parser = ConditionParser(text)
            return try parser.condition()
        }
        #expect(try parsed("9223372036854775807 > 1").value([]) == .truth(true))
        let (open, close) = (String(repeating: "(", count: 100), String(repeating: ")", count: 100))
        #expect(try parsed(open + "true" + close).value([]) == .truth(true))
        #expect(try parsed(String(repeating: "not ", count: 100) + "true").value([]) == .truth(true))
        for deep in [String(repeating: "(", count: 100_000), String(repeating: "!", count: 100_000)] {
            let error = try #require(throws: ConditionError.self) { _ = try parsed(deep) }
            #expect(error.message == "more than 100 levels" && error.offset == 101)
        }
        let chain = Array(repeating: "true", count: 20_000).joined(separator: " and ")
        #expect(try parsed(chain + " and false").value([]) == .truth(false))
        for (text, columns) in [("unread(群) = 1", 11), ("exists(\"\u{202E}\") = 1", 19), ("exists(\t'a\n') ?", 15)] {
            var parser = ConditionParser(text)
            let error = try #require(throws: ConditionError.self) { _ = try parser.condition() }
            let lines = error.lines
            try #require(lines.count == 3)
            #expect(lines[2] == String(repeating: " ", count: columns + 2) + "^", "\(lines)")
            #expect(lines.allSatisfy { $0.terminalSafe == $0 })
        }
    }

    /// A condition, the character at which it is wrong, counted from 1, and words of the message.
    static let faults: [(text: String, character: Int, words: String)] = [
        ("", 1, "expected a term"), ("   ", 4, "expected a term"), ("badge >", 8, "expected a term"),
        ("badge > 1 and", 14, "expected a term"), ("and badge", 1, "expected a term"),
        ("not", 4, "expected a term"), ("badge > -1", 9, "expected a term"), ("badge > > 1", 9, "expected a term"),
        ("()", 2, "expected a term"), ("badge === 1", 9, "expected a term"),
        ("badge = 1", 7, "expected =="), ("(badge = 1)", 8, "expected =="),
        ("badge > 1 exists(a)", 11, "expected and, or, or the end"),
        ("1 < badge < 3", 11, "expected and, or, or the end"),
        ("badge > 1)", 10, "expected and, or, or the end"),
        ("badge > 1 & exists(a)", 11, "expected and, or, or the end"),
        ("badge > 7x", 10, "expected and, or, or the end"), ("(badge > 1", 11, "expected and, or, or )"),
        ("badge", 1, "a number; expected a comparison"), ("exists(a) and badge", 15, "a number; expected a comparison"),
        ("not badge", 5, "a number; expected a comparison"), ("status(a) or exists(a)", 1, "a status; expected"),
        ("badge 7", 1, "a number; expected a comparison"),
        ("bagde > 7", 1, "no bagde; do you mean badge?"), ("exists(a) or unraed(x) > 1", 14, "do you mean unread?"),
        ("Unread(x) > 1", 1, "do you mean unread?"), ("status(a) == fialed", 14, "do you mean failed?"),
        ("status(a) == 'fialed'", 14, "do you mean failed?"),
        ("nothing > 1", 1, "there are badge, unread(CONVERSATION)"),
        ("count(x) > 1", 1, "there are badge, unread(CONVERSATION)"),
        ("unread > 1", 8, "expected unread(CONVERSATION)"), ("unread() > 1", 8, "expected unread(CONVERSATION)"),
        ("unread(a, b) > 1", 11, "one name too many"), ("badge(a) > 1", 7, "one name too many"),
        ("member(team)", 12, "expected member(CONVERSATION, USER)"), ("exists(a,)", 10, "expected a name"),
        ("exists(,a)", 8, "expected a name"), ("exists(", 8, "expected a name"),
        ("exists(my team)", 11, "quotes"), ("exists(a", 9, "expected , or )"), ("exists('a)", 8, "no end"),
        ("exists('a\\'", 8, "no end"), ("exists(\"", 8, "no end"), ("exists(a(b))", 9, "expected , or )"),
        ("badge == exists(a)", 10, "a number is compared with true or false"),
        ("status(a) == 7", 14, "a status is compared with a number"),
        ("badge > sent", 9, "a number is compared with a status"),
        ("status(a) < sent", 11, "only numbers and times are compared by <"), ("exists(a) >= true", 11, "only numbers"),
        ("name(a) > 'b'", 9, "only numbers"), ("name(a) == 7", 12, "a text is compared with a number"),
        ("readUpTo(a) > 'yesterday'", 15, "a time is compared with a text"), ("muted(a) > 1", 12, "true or false is"),
        ("badge > 9223372036854775808", 9, "too large"), ("badge > ٣", 9, "expected a term"),
        ("badge > 1\u{301}", 9, "expected a term"), ("漢字 > 1", 1, "there is no 漢字"), ("👩‍👩‍👧 > 1", 1, "expected a term"),
    ]

    @Test("what is wrong points at the character and says what was expected", arguments: faults.indices)
    func pointing(index: Int) throws {
        let (text, character, words) = Self.faults[index]
        var parser = ConditionParser(text)
        let error = try #require(throws: ConditionError.self) { _ = try parser.condition() }
        #expect(error.offset + 1 == character, "\(text): \(error.message)")
        #expect(error.message.contains(words), "\(text): \(error.message)")
    }

    @Test(
        "whatever the text, it is a condition or an error at one of its characters", arguments: [1, 2, 3] as [UInt64])
    func anyText(seed: UInt64) {
        let parts = [
            "badge", "unread", "(", ")", "'", "\"", ",", " ", "==", "!", "<", "=", "and", "or", "not", "7", "a", "\\",
            "true", "sent", "é", "\n", "\u{0}", "exists(a)", "status(b)", "&&", "||",
        ]
        var random = SplitMix64(seed: seed)
        var conditions = 0
        for _ in 0..<5_000 {
            let text = (0..<1 + random.nextIndex(8)).map { _ in parts[random.nextIndex(parts.count)] }.joined()
            var parser = ConditionParser(text)
            do {
                let node = try parser.condition()
                #expect(node.value(parser.terms.map { _ in .truth(false) }) != .number(0))
                conditions += 1
            } catch let error as ConditionError {
                #expect((0...text.count).contains(error.offset), "\(text)")
            } catch {
                Issue.record("\(text): \(error)")
            }
        }
        #expect(conditions > 0)
    }

    @Test("the conditions of the documents are conditions")
    func documents() throws {
        var count = 0
        for name in ["README.md", "Docs/Conditions.md"] {
            let text = try String(contentsOf: DebuggingGuide.root.appendingPathComponent(name), encoding: .utf8)
            for match in text.matches(of: /messagestore watch STORE '([^']*)'/) {
                var parser = ConditionParser(String(match.1))
                #expect(throws: Never.self, "\(match.1)") { try parser.condition() }
                count += 1
            }
        }
        #expect(count >= 5)
    }
}
