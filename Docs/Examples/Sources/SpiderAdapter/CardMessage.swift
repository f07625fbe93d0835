import Foundation

/// A card: a type of the app's own, stored and not counted.
struct CardMessage: SPMessageContentProtocol {
    var name = ""

    init() {}
    init(_ name: String) { self.name = name }
    func encode() -> Data { Data(name.utf8) }
    mutating func decode(_ payload: Data) { name = String(decoding: payload, as: UTF8.self) }
    static func getMessageType() -> String { "APP:Card" }
    static func getMessageProfileType() -> SPMessageProfileType { .saveNotCount }
    func getMessageDigest() -> String? { "[card of \(name)]" }
}
