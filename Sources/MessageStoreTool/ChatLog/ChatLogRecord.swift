/// One message or service event of a chat log, under the names of its JSON keys; `Docs/ChatLog.md` describes them.
struct ChatLogRecord: Sendable, Equatable, Decodable {
    enum Kind: String, Sendable, Decodable { case group, single }

    var conv: String
    var kind: Kind
    var id: String?
    var from: String?
    var ts: Natural?
    var type: String
    var text: String?
    var to: String?
    var n: Natural?

    var time: Timestamp? { ts.map { Timestamp(milliseconds: $0.value) } }
}

/// An integer from 0 to the greatest `Int64`.
struct Natural: Sendable, Equatable, Decodable, ExpressibleByIntegerLiteral {
    let value: Int64

    init(integerLiteral value: Int64) { self.value = value }

    init(from decoder: any Decoder) throws {
        guard let value = try? decoder.singleValueContainer().decode(Int64.self), value >= 0 else {
            throw ChatLogLineFault(.wrongFieldType, decoder.codingPath.last?.stringValue ?? "")
        }
        self.value = value
    }
}
