/// A package of an offline sync was received; it is recorded together with its events.
public struct OfflinePackageReceived: EventPayload {
    /// The transport's number of the package.
    public var index: UInt32
    /// The number of messages in it, including those that were not kept.
    public var messageCount: UInt32
    /// Whether the server has more packages.
    public var hasMore: Bool

    /// Creates the event.
    public init(index: UInt32, messageCount: UInt32, hasMore: Bool) {
        self.index = index
        self.messageCount = messageCount
        self.hasMore = hasMore
    }
}

extension OfflinePackageReceived {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.offlinePackageReceived, "OfflinePackageReceived", scope: .account)

    /// The fields and their places.
    public enum Fields {
        /// Where ``OfflinePackageReceived/index`` is.
        public static let index = Field<UInt32>(3, "index")
        /// Where ``OfflinePackageReceived/messageCount`` is.
        public static let messageCount = Field<UInt32>(4, "messageCount")
        /// Where ``OfflinePackageReceived/hasMore`` is.
        public static let hasMore = Field<Bool>(5, "hasMore")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            index: try fields.decode(Fields.index),
            messageCount: try fields.decode(Fields.messageCount),
            hasMore: try fields.decode(Fields.hasMore))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(index, for: Fields.index)
        try fields.encode(messageCount, for: Fields.messageCount)
        try fields.encode(hasMore, for: Fields.hasMore)
    }
}

extension EventType {
    /// The type of ``OfflinePackageReceived``.
    @inlinable public static var offlinePackageReceived: EventType { EventType(rawValue: 0x61) }
}
