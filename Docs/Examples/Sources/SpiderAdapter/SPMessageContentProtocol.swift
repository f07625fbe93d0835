import Foundation

/// The content of a message. A custom type conforms and is registered.
protocol SPMessageContentProtocol: Sendable {
    init()
    func encode() throws -> Data
    mutating func decode(_ payload: Data) throws
    /// Unique among all types; numbers up to 1000 are the SDK's.
    static func getMessageType() -> String
    static func getMessageProfileType() -> SPMessageProfileType
    /// The line for notifications and the list of sessions.
    func getMessageDigest() -> String?
}
