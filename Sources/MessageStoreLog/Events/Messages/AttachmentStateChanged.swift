/// A file of a message moved between this device and the server. The latest one of each attachment in the log is shown.
public struct AttachmentStateChanged: ConversationPayload {
    /// The message.
    public var message: MessageReference
    /// The number of the file among the message's files, chosen by the host; 0 if there is only one.
    public var index: UInt8
    /// How far the transfer has come.
    public var state: AttachmentState
    /// The file's path on this device, if it is there.
    public var localPath: String?
    /// The file's URL on the server, if it is there.
    public var remoteURL: String?
    /// How many bytes the file takes on this device, at most ``EventLimits/fileBytes``; nil if it is not there, or not
    /// to be found for clean-up.
    ///
    /// From the first event of the attachment with a size to the next one without, the file is among
    /// `Views.localFiles(in:by:after:limit:)`.
    public var byteCount: UInt64?

    /// Creates the event.
    public init(
        _ message: MessageReference, state: AttachmentState, localPath: String? = nil, remoteURL: String? = nil,
        byteCount: UInt64? = nil, index: UInt8 = 0
    ) {
        self.message = message
        self.index = index
        self.state = state
        self.localPath = localPath
        self.remoteURL = remoteURL
        self.byteCount = byteCount
    }
}

extension AttachmentStateChanged: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .attachmentStateChanged, "AttachmentStateChanged", scope: .conversation,
        traits: [.changesTimeline, .changesOneMessage, .holdsWords, .readByPosition])

    package static let message = FieldOf(3, "message", \Self.message)
    package static let state = FieldOf(5, "state", \Self.state)
    package static let byteCount = FieldOf(6, "byteCount", \Self.byteCount)
    /// Missing for 0.
    package static let index = FieldOf(7, "index") { (event: Self) in event.index == 0 ? nil : event.index }
    package static let localPath = ContentFieldOf(1, "localPath", \Self.localPath)
    package static let remoteURL = ContentFieldOf(2, "remoteURL", \Self.remoteURL)
    package static let fieldList = FieldList(
        { Self($0, state: $1, localPath: $4, remoteURL: $5, byteCount: $2, index: $3 ?? 0) },
        message, state, byteCount, index, localPath, remoteURL)

    /// Refuses a size that no file has, so that sums of sizes stay within their width.
    package func check() throws {
        guard byteCount ?? 0 <= EventLimits.fileBytes else {
            throw invalid("tells a file of more than \(EventLimits.fileBytes) bytes")
        }
    }
}

extension EventType {
    /// The type of ``AttachmentStateChanged``.
    @inlinable public static var attachmentStateChanged: EventType { EventType(rawValue: 0x15) }
}

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
