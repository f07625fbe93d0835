import Foundation

/// A step of a call: told to who is there, and never stored.
struct CallSignal: SPMessageContentProtocol {
    var step = ""

    init() {}
    init(_ step: String) { self.step = step }
    func encode() -> Data { Data(step.utf8) }
    mutating func decode(_ payload: Data) { step = String(decoding: payload, as: UTF8.self) }
    static func getMessageType() -> String { "APP:Call" }
    static func getMessageProfileType() -> SPMessageProfileType { .transparent }
    func getMessageDigest() -> String? { nil }
}
