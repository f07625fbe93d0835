/// A folder of the conversation list was made, changed or removed.
///
/// A folder is a saved condition with a name: it shows the conversations for which the condition holds. The event
/// describes the whole folder; nothing of an earlier description stays.
public struct ConversationFolderChanged: AccountPayload {
    /// The folder's id, which the host or its service gives it.
    public var folder: String
    /// The name to show.
    public var name: String?
    /// The condition of the conversations that it shows, as JSON in the form that `ConversationCondition.json()`
    /// writes, up to 64 KiB; nil removes the folder.
    public var condition: String? {
        didSet { isThere = condition != nil }
    }
    /// Whether there is such a folder; says so of an event whose content was redacted, too.
    public private(set) var isThere: Bool
    /// The place among folders, the smallest first.
    public var order: Int32
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, one that keeps the folder
    /// holds against one that removes it, then the later in the log.
    public var time: Timestamp?

    /// Creates the event.
    public init(
        _ folder: String, name: String? = nil, condition: String?, order: Int32 = 0, at time: Timestamp? = nil
    ) {
        self.init(folder, name: name, condition: condition, isThere: condition != nil, order: order, at: time)
    }

    private init(
        _ folder: String, name: String?, condition: String?, isThere: Bool, order: Int32, at time: Timestamp?
    ) {
        self.folder = folder
        self.name = name
        self.condition = condition
        self.isThere = isThere
        self.order = order
        self.time = time
    }
}

extension ConversationFolderChanged: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .conversationFolderChanged, "ConversationFolderChanged", scope: .account,
        traits: [.readByPosition, .mergedByTime])
    /// The longest condition, in bytes of UTF-8.
    public static let maximumConditionBytes = 64 << 10

    package static let folder = FieldOf(3, "folder", \Self.folder, .identifier, .identifier)
    package static let isThere = FieldOf(4, "isThere", \Self.isThere)
    package static let order = FieldOf(5, "order", \Self.order)
    package static let time = FieldOf(6, "time", \Self.time)
    package static let name = ContentFieldOf(1, "name", \Self.name)
    package static let condition = ContentFieldOf(2, "condition", \Self.condition)
    package static let fieldList = FieldList(
        { Self($0, name: $4, condition: $5, isThere: $1, order: $2, at: $3) }, folder, isThere, order, time, name,
        condition)

    /// Refuses a condition that is too long.
    package func check() throws {
        if let condition, condition.utf8.count > Self.maximumConditionBytes {
            throw invalid("has a condition of more than \(Self.maximumConditionBytes) bytes")
        }
    }
}

extension EventType {
    /// The type of ``ConversationFolderChanged``.
    @inlinable public static var conversationFolderChanged: EventType { EventType(rawValue: 0x2F) }
}
