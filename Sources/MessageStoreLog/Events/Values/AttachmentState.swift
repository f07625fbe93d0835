/// How far the transfer of a message's file has come.
public struct AttachmentState: NamedCode, BuiltInCode {
    /// The number in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Only this device has it.
    public static let local = AttachmentState(rawValue: 0)
    /// Being sent to the server.
    public static let uploading = AttachmentState(rawValue: 1)
    /// The server has it.
    public static let uploaded = AttachmentState(rawValue: 2)
    /// Being fetched.
    public static let downloading = AttachmentState(rawValue: 3)
    /// This device and the server have it.
    public static let available = AttachmentState(rawValue: 4)
    /// The last transfer failed.
    public static let failed = AttachmentState(rawValue: 5)

    package static let known: [AttachmentState: String] = [
        .local: "local", .uploading: "uploading", .uploaded: "uploaded", .downloading: "downloading",
        .available: "available", .failed: "failed",
    ]
}
