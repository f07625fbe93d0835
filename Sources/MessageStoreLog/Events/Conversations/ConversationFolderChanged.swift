/// A folder of the conversation list was made, changed or removed.
///
/// A folder is a saved condition with a name: it shows the conversations for which the condition holds. The event tells all of
/// it; nothing of what an earlier one told stays.
public struct ConversationFolderChanged: EventPayload {
    /// Which folder, by an id that the host or its service gives it.
    public var folder: String
    /// The name to show.
    public var name: String?
    /// Which conversations it shows, as JSON in the form that `ConversationCondition.json()` writes, up to 64 KiB; nil removes the
    /// folder.
    public var condition: String? {
        didSet { isThere = condition != nil }
    }
    /// Whether there is such a folder; says so of an event whose content was redacted, too.
    public private(set) var isThere: Bool
    /// The place among folders, the smallest first.
    public var order: Int32
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, one that keeps the folder holds
    /// against one that removes it, then the later in the log.
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

extension ConversationFolderChanged {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationFolderChanged, "ConversationFolderChanged", scope: .account,
        traits: [.readByPosition, .mergedByTime])
    /// The longest condition, in bytes of UTF-8.
    public static let maximumConditionBytes = 64 << 10

    /// The fields and their places.
    public enum Fields {
        /// Where ``ConversationFolderChanged/folder`` is.
        public static let folder = Field<String>(3, "folder", .identifier)
        /// Where `isThere` is.
        public static let isThere = Field<Bool>(4, "isThere")
        /// Where ``ConversationFolderChanged/order`` is.
        public static let order = Field<Int32>(5, "order")
        /// Where ``ConversationFolderChanged/time`` is.
        public static let time = Field<Timestamp?>(6, "time")
        /// Where ``ConversationFolderChanged/name`` is.
        public static let name = ContentField<String?>(1, "name")
        /// Where ``ConversationFolderChanged/condition`` is.
        public static let condition = ContentField<String?>(2, "condition")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.folder), name: try fields.decode(Fields.name),
            condition: try fields.decode(Fields.condition), isThere: try fields.decode(Fields.isThere),
            order: try fields.decode(Fields.order), at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(folder, for: Fields.folder)
        try fields.encode(isThere, for: Fields.isThere)
        try fields.encode(order, for: Fields.order)
        try fields.encode(time, for: Fields.time)
        try fields.encode(name, for: Fields.name)
        try fields.encode(condition, for: Fields.condition)
    }

    /// Refuses a condition that is too long.
    public func validate() throws {
        if let condition, condition.utf8.count > Self.maximumConditionBytes {
            throw invalid("has a condition of more than \(Self.maximumConditionBytes) bytes")
        }
    }
}

extension EventType {
    /// The type of ``ConversationFolderChanged``.
    @inlinable public static var conversationFolderChanged: EventType { EventType(rawValue: 0x2F) }
}
