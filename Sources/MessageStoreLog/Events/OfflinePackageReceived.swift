/// A package of an offline sync was received; it is recorded together with its events.
public struct OfflinePackageReceived: AccountPayload {
    /// The transport's number of the package.
    public var index: UInt32
    /// The number of messages in it, including ones that were not kept.
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

extension OfflinePackageReceived: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.offlinePackageReceived, "OfflinePackageReceived", scope: .account)

    package static let index = FieldOf(3, "index", \Self.index)
    package static let messageCount = FieldOf(4, "messageCount", \Self.messageCount)
    package static let hasMore = FieldOf(5, "hasMore", \Self.hasMore)
    package static let fieldList = FieldList(Self.init, index, messageCount, hasMore)
}

extension EventType {
    /// The type of ``OfflinePackageReceived``.
    @inlinable public static var offlinePackageReceived: EventType { EventType(rawValue: 0x61) }
}
