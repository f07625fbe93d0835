import Foundation

/// A class that claims the SDK's type of text.
struct OtherTextMessage: SPMessageContentProtocol {
    func encode() -> Data { Data() }
    mutating func decode(_ payload: Data) {}
    static func getMessageType() -> String { SPTextMessage.getMessageType() }
    static func getMessageProfileType() -> SPMessageProfileType { .saveAndCount }
    func getMessageDigest() -> String? { nil }
}
