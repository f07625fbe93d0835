import Foundation
import MessageStore

/// The SDK's text message; a nil text is written as "".
struct SPTextMessage: SPMessageContentProtocol, Equatable {
    private struct Fields: Codable {
        var text: String
        var extra: JSONValue?
        var digest: String?
    }

    var text: String?
    /// What the app adds, of any shape.
    var extra: JSONValue?
    var digest: String?

    init() {}
    init(_ text: String, digest: String? = nil, extra: JSONValue? = nil) {
        (self.text, self.digest, self.extra) = (text, digest, extra)
    }

    func encode() throws -> Data { try JSONEncoder().encode(Fields(text: text ?? "", extra: extra, digest: digest)) }

    mutating func decode(_ payload: Data) throws {
        let fields = try JSONDecoder().decode(Fields.self, from: payload)
        (text, extra, digest) = (fields.text, fields.extra, fields.digest)
    }

    static func getMessageType() -> String { "SP:TxtMsg" }
    static func getMessageProfileType() -> SPMessageProfileType { .saveAndCount }
    func getMessageDigest() -> String? { digest.flatMap { $0.isEmpty ? nil : $0 } ?? text }
}
