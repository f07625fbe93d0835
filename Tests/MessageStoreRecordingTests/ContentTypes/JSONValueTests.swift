import Dispatch
import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("A21: attributes as JSON")
struct JSONValueTests {
    private func attributes(_ json: String) -> [String: JSONValue]? {
        MessageContent(type: .text, attributes: Array(json.utf8)).jsonAttributes
    }

    @Test("A21: every kind of value is read as what it is, integers exactly")
    func kinds() {
        let json = """
            {"n":null,"t":true,"z":0,"i":9223372036854775807,"m":-9223372036854775808,"d":1.5,"u":18446744073709551615,
             "s":"é\\n\\u00e9","a":[1,"1",[]],"o":{"":{}}}
            """
        let expected: [String: JSONValue] = [
            "n": .null, "t": .bool(true), "z": .integer(0), "i": .integer(.max), "m": .integer(.min),
            "d": .number(1.5), "u": .number(18_446_744_073_709_551_616), "s": .string("é\né"),
            "a": .array([.integer(1), .string("1"), .array([])]), "o": .object(["": .object([:])]),
        ]
        #expect(attributes(json) == expected)
    }

    @Test("A21: attributes are written with sorted keys and read as they were; a number that is none changes nothing")
    func writing() throws {
        var content = MessageContent.text("t")
        try content.setAttributes(["b": [1, .null], "a": "x/y", "c": 0.25, "d": false])
        #expect(String(decoding: content.attributes, as: UTF8.self) == #"{"a":"x/y","b":[1,null],"c":0.25,"d":false}"#)
        #expect(content.jsonAttributes == ["b": [1, .null], "a": "x/y", "c": 0.25, "d": false])
        let before = content
        #expect(throws: EncodingError.self) { try content.setAttributes(["x": .number(.nan)]) }
        #expect(content == before)
    }

    @Test("A21: nesting is read to 64 levels and refused beyond, also on a thread with a small stack")
    func depth() {
        @Sendable func nested(_ levels: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: levels) + String(repeating: "]", count: levels) + "}"
        }
        let isDone = DispatchSemaphore(value: 0)
        let thread = Thread {
            #expect(self.attributes(nested(63)) != nil)
            for levels in [64, 500, 100_000] { #expect(self.attributes(nested(levels)) == nil) }
            isDone.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        isDone.wait()
    }
}
