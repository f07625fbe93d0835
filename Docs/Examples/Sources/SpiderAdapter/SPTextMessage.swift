import Foundation

/// The SDK's text message; a nil text is written as "".
struct SPTextMessage: SPMessageContentProtocol, Equatable {
    private struct Fields: Codable {
        var text: String
        var extra: [String: String]?
        var digest: String?
    }

    var text: String?
    var extra: [String: String]?
    var digest: String?

    init() {}
    init(_ text: String, digest: String? = nil) { (self.text, self.digest) = (text, digest) }

    func encode() throws -> Data { try JSONEncoder().encode(Fields(text: text ?? "", extra: extra, digest: digest)) }

    mutating func decode(_ payload: Data) throws {
        let fields = try JSONDecoder().decode(Fields.self, from: payload)
        (text, extra, digest) = (fields.text, fields.extra, fields.digest)
    }

    static func getMessageType() -> String { "SP:TxtMsg" }
    static func getMessageProfileType() -> SPMessageProfileType { .saveAndCount }
    func getMessageDigest() -> String? { digest.flatMap { $0.isEmpty ? nil : $0 } ?? text }
}
