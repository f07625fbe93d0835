import MessageStore

/// One type of events as two releases of a host declared it.
enum TaskAssigned {
    static let name: StaticString = "com.example.task-assigned"

    /// The first: one assignee, as a string, and urgent or not.
    struct V1: ConversationPayload {
        var message: MessageReference
        var assignee: String
        var isUrgent: Bool
        var comment: String?

        static let declaration = EventDeclaration(name, scope: .conversation)

        enum Fields {
            static let message = Field<MessageReference>(3, "message")
            static let assignee = Field<String>(5, "assignee")
            static let isUrgent = Field<Bool>(6, "isUrgent")
            static let comment = ContentField<String?>(1, "comment")
        }
    }

    /// The second: several users, and a priority where the flag was.
    struct V2: ConversationPayload {
        var message: MessageReference
        var assignees: [UserID]
        var priority: Int32
        var comment: String?

        static let declaration = EventDeclaration(name, version: 2, scope: .conversation)

        enum Fields {
            static let assignees = Field<[UserID]>(7, "assignees", .nonEmpty)
            static let priority = Field<Int32>(6, "priority")
        }
    }

    /// The third: without the comment, so that nothing of it can be redacted.
    struct V3: ConversationPayload {
        var message: MessageReference
        var assignees: [UserID]

        static let declaration = EventDeclaration(name, version: 3, scope: .conversation)
    }
}

extension TaskAssigned.V3 {
    init(upcasting fields: inout some FieldDecoder, from version: UInt8) throws {
        message = try fields.decode(TaskAssigned.V1.Fields.message)
        assignees = [UserID(try fields.decode(TaskAssigned.V1.Fields.assignee))]
    }

    init(from fields: inout some FieldDecoder) throws {
        message = try fields.decode(TaskAssigned.V1.Fields.message)
        assignees = try fields.decode(TaskAssigned.V2.Fields.assignees)
    }

    func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: TaskAssigned.V1.Fields.message)
        try fields.encode(assignees, for: TaskAssigned.V2.Fields.assignees)
    }
}

extension TaskAssigned.V1 {
    init(from fields: inout some FieldDecoder) throws {
        message = try fields.decode(Fields.message)
        assignee = try fields.decode(Fields.assignee)
        isUrgent = try fields.decode(Fields.isUrgent)
        comment = try fields.decode(Fields.comment)
    }

    func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: Fields.message)
        try fields.encode(assignee, for: Fields.assignee)
        try fields.encode(isUrgent, for: Fields.isUrgent)
        try fields.encode(comment, for: Fields.comment)
    }
}

extension TaskAssigned.V2 {
    /// What a release before meant.
    init(upcasting fields: inout some FieldDecoder, from version: UInt8) throws {
        let old = try TaskAssigned.V1(from: &fields)
        (message, comment) = (old.message, old.comment)
        assignees = [UserID(old.assignee)]
        priority = old.isUrgent ? 2 : -1
    }

    init(from fields: inout some FieldDecoder) throws {
        message = try fields.decode(TaskAssigned.V1.Fields.message)
        assignees = try fields.decode(Fields.assignees)
        priority = try fields.decode(Fields.priority)
        comment = try fields.decode(TaskAssigned.V1.Fields.comment)
    }

    func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: TaskAssigned.V1.Fields.message)
        try fields.encode(assignees, for: Fields.assignees)
        try fields.encode(priority, for: Fields.priority)
        try fields.encode(comment, for: TaskAssigned.V1.Fields.comment)
    }
}
