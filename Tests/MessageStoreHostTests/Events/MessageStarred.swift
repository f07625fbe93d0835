import MessageStore

/// A message was starred, or is not any more: an event as a host declares it.
struct MessageStarred: ConversationPayload, DeclaredFields {
    var message: MessageReference
    var isStarred = true
    var folder: Folder = .inbox
    var by: UserID?
    var note: String?

    static let declaration = EventDeclaration("com.example.message-starred", version: 1, scope: .conversation)

    static let message = FieldOf(3, "message", \Self.message)
    static let isStarred = FieldOf(5, "isStarred", \Self.isStarred)
    static let folder = FieldOf(6, "folder", \Self.folder)
    static let by = EnvelopeFieldOf(.optionalActor, "by", \Self.by)
    static let note = ContentFieldOf(1, "note", \Self.note)
    static let fieldList = FieldList(Self.init, message, isStarred, folder, by, note)

    init(
        _ message: MessageReference, isStarred: Bool = true, folder: Folder = .inbox, by: UserID? = nil,
        note: String? = nil
    ) {
        (self.message, self.isStarred, self.folder, self.by, self.note) = (message, isStarred, folder, by, note)
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
