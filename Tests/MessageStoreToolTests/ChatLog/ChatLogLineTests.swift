import Testing

@testable import MessageStoreTool

@Suite("Chat log: lines")
struct ChatLogLineTests {
    private let fixture: LogFixture

    init() throws {
        fixture = try LogFixture()
    }

    @Test(arguments: ["\n", "\r\n", "\n\n", " \n\t\r\n"])
    func linesEndAtLineFeeds(separator: String) throws {
        let content = messageLine("a") + separator + messageLine("b")
        let log = try ReadLog(path: fixture.file(content.utf8))
        #expect(log.texts == ["a", "b"])
        #expect(log.lines[1] != nil)
        #expect(log.errors.isEmpty)
    }

    @Test(arguments: ["\u{2028}", "\u{2029}", "\u{85}", "\u{FEFF}", "👨‍👩‍👧", "现在只能"])
    func otherCharactersDoNotEndALine(character: String) throws {
        let log = try ReadLog(path: fixture.file(messageLine("a\(character)b").utf8))
        #expect(log.texts == ["a\(character)b"])
        #expect(log.lines.count == 1 && log.errors.isEmpty)
    }

    @Test(arguments: ["", "\n"])
    func lineOfTheGreatestLengthIsRead(end: String) throws {
        let line = messageLine("abc")
        let content = Array((line + end).utf8)
        let exact = try ReadLog(path: fixture.file(content), maximumLineBytes: line.utf8.count)
        let short = try ReadLog(path: fixture.file(content), maximumLineBytes: line.utf8.count - 1)
        #expect(exact.texts == ["abc"] && exact.errors.isEmpty)
        #expect(short.lines.isEmpty && short.errors.map(\.code) == [.lineTooLong])
    }

    @Test(arguments: [0, -1, Int.min])
    func limitMayBeNothing(limit: Int) throws {
        let log = try ReadLog(path: fixture.file("\n{}\n".utf8), maximumLineBytes: limit)
        #expect(log.errors.map(\.line) == [2])
    }

    @Test func longLineIsRefusedAndTheNextOneRead() throws {
        let long = messageLine(String(repeating: "x", count: 10 << 20))
        let content = [messageLine("a"), long, messageLine("b"), long].joined(separator: "\n")
        let log = try ReadLog(path: fixture.file(content.utf8))
        #expect(log.lines.keys.sorted() == [1, 3])
        #expect(log.errors.map(\.code) == [.lineTooLong, .lineTooLong])
        #expect(log.errors.map(\.line) == [2, 4])
    }

    @Test func longLineIsReadWhereItIsAllowed() throws {
        let text = String(repeating: "好", count: 3 << 20)
        let content = messageLine(text) + "\n" + messageLine("b")
        let log = try ReadLog(path: fixture.file(content.utf8), maximumLineBytes: .max)
        #expect(log.texts == [text, "b"])
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE4, 0xBD], [0xFF], [0xF8, 0x88],
        ] as [[UInt8]]
    )
    func invalidUTF8IsAnErrorOfItsLine(bytes: [UInt8]) throws {
        let parts = messageLine("|").split(separator: "|").map { Array($0.utf8) }
        let good = Array(messageLine("good").utf8)
        let content = parts[0] + bytes + parts[1] + [0x0A] + good
        let log = try ReadLog(path: fixture.file(content))
        #expect(log.errors.map(\.code) == [.invalidUTF8])
        #expect(log.errors.map(\.line) == [1])
        #expect(log.texts == ["good"])
    }

    @Test func utf16IsNotTakenForJSON() throws {
        let content: [UInt8] = messageLine("a").utf8.flatMap { byte -> [UInt8] in [byte, 0] }
        let log = try ReadLog(path: fixture.file(content))
        #expect(log.lines.isEmpty)
        #expect(log.errors.map(\.code) == [.invalidJSON])
    }

    @Test(
        arguments: [
            "{", "}", "x", "{}{}", "nul", #"{"conv":}"#, #"{"conv":"c","kind":"group","type":"message","text":"a\"#,
            "{}, {}",
            TestLine(String(repeating: "[", count: 100_000)), TestLine(String(repeating: #"{"a":"#, count: 100_000)),
        ] as [TestLine]
    )
    func badLineIsFollowedByAGoodOne(bad: TestLine) throws {
        let log = try ReadLog(path: fixture.file("\(bad.text)\n\(messageLine("good"))\n".utf8))
        #expect(log.errors.map(\.code) == [.invalidJSON])
        #expect(log.errors.first?.isLineError == true)
        #expect(log.texts == ["good"])
    }

    @Test(arguments: ["1", "null", "true", "\"secret\"", "[]", "[{}]"])
    func lineMustHoldAnObject(line: String) throws {
        let log = try ReadLog(path: fixture.file(line.utf8))
        #expect(log.errors.map(\.code) == [.invalidJSON])
    }

    @Test func errorsNeverQuoteTheText() throws {
        let content = """
            {"conv":"secret","kind":"secret","type":"message"}
            {"conv":"secret","kind":"group","type":"message","ts":"secret"}
            {"conv":"secret","kind":"group","type":["secret"]}
            {"secret":"secret"}
            secret
            """
        let log = try ReadLog(path: fixture.file(content.utf8))
        #expect(log.errors.count == 5)
        for error in log.errors {
            #expect(!"\(error) \(String(reflecting: error))".contains("secret"))
        }
        #expect(log.errors[1].description.hasSuffix("log.ndjson:2: wrong type of field (ts)"))
    }
}
