import Foundation
import Testing

@testable import MessageStoreTool

@Suite("Chat log: fields")
struct ChatLogFieldTests {
    private func decode(_ json: String) throws(ChatLogLineFault) -> ChatLogLine {
        do {
            return try JSONDecoder().decode(ChatLogLine.self, from: Data(json.utf8))
        } catch {
            throw ChatLogLineFault(error)
        }
    }

    @Test func everyFieldOfARecordIsRead() throws {
        let line = try decode(
            """
            {"conv":"c","kind":"single","id":"i","from":"f","ts":1417390603823,"type":"kick","text":"t\\n\\u4f60",\
            "to":"o","n":7,"unknown":{"deep":[1,2]}}
            """
        )
        let record = ChatLogRecord(
            conv: "c", kind: .single, id: "i", from: "f", ts: 1_417_390_603_823, type: "kick", text: "t\n你", to: "o",
            n: 7)
        #expect(line == .record(record))
    }

    @Test(arguments: [#""id":null,"from":null,"ts":null,"text":null,"to":null,"n":null,"#, ""])
    func optionalFieldsMayBeNullOrAbsent(fields: String) throws {
        let line = try decode(#"{"conv":"c",\#(fields)"kind":"group","type":"system"}"#)
        #expect(line == .record(ChatLogRecord(conv: "c", kind: .group, type: "system")))
    }

    @Test func conversationsAndUsersAreRead() throws {
        let named = try decode(#"{"conv":"c","kind":"group","name":"Rust","network":"freenode"}"#)
        let nameless = try decode(#"{"conv":"c","kind":"single","name":null}"#)
        let user = try decode(#"{"user":"u","name":"Ann"}"#)
        #expect(named == .conversation(id: "c", kind: .group, name: "Rust"))
        #expect(nameless == .conversation(id: "c", kind: .single, name: nil))
        #expect(user == .user(id: "u", name: "Ann"))
    }

    @Test(
        arguments: [
            ("{}", "conv"), (#"{"conv":"c"}"#, "kind"), (#"{"conv":"c","kind":"group"}"#, "type"),
            (#"{"conv":"c","kind":"group","text":"t"}"#, "type"), (#"{"user":"u"}"#, "name"),
            (#"{"kind":"group","type":"message"}"#, "conv"), (#"{"conv":"c","type":"message"}"#, "kind"),
        ]
    )
    func missingFieldIsNamed(json: String, field: String) {
        #expect(throws: ChatLogLineFault(.missingField, field)) { try decode(json) }
    }

    @Test(arguments: ["conv", "kind", "type"], ["null", "1", "true", "[]", "{}"])
    func requiredFieldMustBeAString(field: String, value: String) {
        let fields = ["conv": #""c""#, "kind": #""group""#, "type": #""message""#]
            .merging([field: value]) { $1 }
            .map { #""\#($0)":\#($1)"# }
        #expect(throws: ChatLogLineFault(.wrongFieldType, field)) { try decode("{\(fields.joined(separator: ","))}") }
    }

    @Test(arguments: ["id", "from", "text", "to"], ["1", "false", "[]", "{}"])
    func optionalFieldMustBeAString(field: String, value: String) {
        let json = #"{"conv":"c","kind":"group","type":"message","\#(field)":\#(value)}"#
        #expect(throws: ChatLogLineFault(.wrongFieldType, field)) { try decode(json) }
    }

    @Test(
        arguments: ["ts", "n"],
        ["-1", "1.5", "1e-3", "9223372036854775808", "-9223372036854775808", "1e400", "true", #""1""#, "[]", "{}"]
    )
    func numberMustBeNatural(field: String, value: String) {
        let json = #"{"conv":"c","kind":"group","type":"message","\#(field)":\#(value)}"#
        #expect(throws: ChatLogLineFault(.wrongFieldType, field)) { try decode(json) }
    }

    @Test(arguments: [0, 1, Int64.max])
    func naturalNumbersAreExact(value: Int64) throws {
        let line = try decode(#"{"conv":"c","kind":"group","type":"message","ts":\#(value),"n":\#(value)}"#)
        let number = Natural(integerLiteral: value)
        let record = ChatLogRecord(conv: "c", kind: .group, ts: number, type: "message", n: number)
        #expect(line == .record(record))
    }

    @Test func unknownKindIsRefused() {
        #expect(throws: ChatLogLineFault(.unknownFieldValue, "kind")) {
            try decode(#"{"conv":"c","kind":"channel","type":"message"}"#)
        }
    }
}
