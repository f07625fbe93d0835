/// A folder of the conversation list: a saved condition with a name.
public struct ConversationFolder: Sendable, Hashable, Identifiable {
    /// Which folder.
    public let id: String
    /// The name to show.
    public let name: String?
    /// Which conversations it shows; nil if this version cannot read the condition of a later version or a damaged
    /// record.
    public let condition: ConversationCondition?
    /// The place among folders, the smallest first.
    public let order: Int32

    /// Creates a folder, for previews and tests.
    public init(id: String, name: String? = nil, condition: ConversationCondition?, order: Int32 = 0) {
        self.id = id
        self.name = name
        self.condition = condition
        self.order = order
    }
}

extension ConversationFolderChanged {
    /// Creates the event of a folder that was made or changed.
    ///
    /// - Throws: `StoreError` with code `invalidArgument` for a condition that cannot be saved; see
    ///   ``ConversationCondition/json()``.
    public init(
        _ id: String, name: String? = nil, condition: ConversationCondition, order: Int32 = 0,
        at time: Timestamp? = nil
    ) throws {
        self.init(id, name: name, condition: try condition.json(), order: order, at: time)
    }
}
