/// A file of a message moved between this device and the server. The latest one of each attachment in the log is shown.
public struct AttachmentStateChanged: EventPayload {
    /// Which message.
    public var message: MessageReference
    /// Which of the message's files, by a number that the host chooses; 0 where it has one only.
    public var index: UInt8
    /// How far the transfer has come.
    public var state: AttachmentState
    /// Where the file is on this device, if it is.
    public var localPath: String?
    /// Where the file is on the server, if it is.
    public var remoteURL: String?
    /// How many bytes the file takes on this device, at most ``EventLimits/fileBytes``; nil where it is not there, or not to be
    /// found for clean-up.
    ///
    /// From the first event of the attachment with a size to the next one without, the file is among `Views.localFiles(of:by:after:limit:)`.
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

extension AttachmentStateChanged {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .attachmentStateChanged, "AttachmentStateChanged", scope: .conversation,
        traits: [.changesTimeline, .changesOneMessage, .holdsWords, .readByPosition])

    /// The fields and their places.
    public enum Fields {
        /// Where ``AttachmentStateChanged/message`` is.
        public static let message = Field<MessageReference>(3, "message")
        /// Where ``AttachmentStateChanged/state`` is.
        public static let state = Field<AttachmentState>(5, "state")
        /// Where ``AttachmentStateChanged/byteCount`` is.
        public static let byteCount = Field<UInt64?>(6, "byteCount")
        /// Where ``AttachmentStateChanged/index`` is; missing for 0.
        public static let index = Field<UInt8?>(7, "index")
        /// Where ``AttachmentStateChanged/localPath`` is.
        public static let localPath = ContentField<String?>(1, "localPath")
        /// Where ``AttachmentStateChanged/remoteURL`` is.
        public static let remoteURL = ContentField<String?>(2, "remoteURL")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.message),
            state: try fields.decode(Fields.state),
            localPath: try fields.decode(Fields.localPath),
            remoteURL: try fields.decode(Fields.remoteURL),
            byteCount: try fields.decode(Fields.byteCount),
            index: try fields.decode(Fields.index) ?? 0)
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: Fields.message)
        try fields.encode(state, for: Fields.state)
        try fields.encode(byteCount, for: Fields.byteCount)
        try fields.encode(index == 0 ? nil : index, for: Fields.index)
        try fields.encode(localPath, for: Fields.localPath)
        try fields.encode(remoteURL, for: Fields.remoteURL)
    }

    /// Refuses a size that no file has, so that sums of sizes stay within their width.
    public func validate() throws {
        guard byteCount ?? 0 <= EventLimits.fileBytes else {
            throw invalid("tells a file of more than \(EventLimits.fileBytes) bytes")
        }
    }
}

extension EventType {
    /// The type of ``AttachmentStateChanged``.
    @inlinable public static var attachmentStateChanged: EventType { EventType(rawValue: 0x15) }
}
