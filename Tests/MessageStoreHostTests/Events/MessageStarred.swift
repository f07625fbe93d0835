import MessageStore

/// A message was starred, or is not any more: an event as a host declares it.
struct MessageStarred: EventPayload {
    var message: MessageReference
    var isStarred = true
    var folder: Folder = .inbox
    var by: UserID?
    var note: String?

    static let declaration = EventDeclaration("com.example.message-starred", version: 1, scope: .conversation)

    enum Fields {
        static let message = Field<MessageReference>(3, "message")
        static let isStarred = Field<Bool>(5, "isStarred")
        static let folder = Field<Folder>(6, "folder")
        static let by = EnvelopeField(.optionalActor, "by")
        static let note = ContentField<String?>(1, "note")
    }

    init(_ message: MessageReference, isStarred: Bool = true, folder: Folder = .inbox, note: String? = nil) {
        (self.message, self.isStarred, self.folder, self.note) = (message, isStarred, folder, note)
    }

    init(from fields: inout some FieldDecoder) throws {
        message = try fields.decode(Fields.message)
        isStarred = try fields.decode(Fields.isStarred)
        folder = try fields.decode(Fields.folder)
        by = try fields.decode(Fields.by)
        note = try fields.decode(Fields.note)
    }

    func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: Fields.message)
        try fields.encode(isStarred, for: Fields.isStarred)
        try fields.encode(folder, for: Fields.folder)
        try fields.encode(by, for: Fields.by)
        try fields.encode(note, for: Fields.note)
    }

    func validate() throws {
        guard isStarred || note == nil else { throw invalid("has a note without a star") }
    }
}

/// Where a host keeps starred messages: a code with names, which newer versions may add to.
struct Folder: NamedCode {
    let rawValue: UInt8
    static let inbox = Folder(rawValue: 0)
    static let later = Folder(rawValue: 1)
    static let names: [Folder: String] = [.inbox: "inbox", .later: "later"]
}
