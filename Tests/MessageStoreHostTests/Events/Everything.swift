import MessageStore

/// An event with a field of every type that a host can declare: some read and written by hand, some declared in lists.
struct Everything: EventPayload {
    var numbers = Numbers()
    var strings = Strings()
    var names = Names()
    var content = Content()
    var actor: UserID?
    var time = Timestamp(milliseconds: 0)

    static let declaration = EventDeclaration("com.example.everything", scope: .any)

    enum Fields {
        static let actor = EnvelopeField(.optionalActor, "actor")
        static let time = EnvelopeField(.serverTime, "time")
    }

    init() {}

    init(from fields: inout some FieldDecoder) throws {
        numbers = try Numbers(from: &fields)
        strings = try Strings(from: &fields)
        names = try Names(from: &fields)
        content = try Content(from: &fields)
        actor = try fields.decode(Fields.actor)
        time = try fields.decode(Fields.time)
    }

    func encode(to fields: inout some FieldEncoder) throws {
        try numbers.encode(to: &fields)
        try strings.encode(to: &fields)
        try names.encode(to: &fields)
        try content.encode(to: &fields)
        try fields.encode(actor, for: Fields.actor)
        try fields.encode(time, for: Fields.time)
    }

    struct Numbers: FieldGroup {
        var flag = false
        var small: UInt8 = 0
        var large: UInt64?
        var signed: Int64 = 0
        var time: Timestamp?
        var folder = Folder.inbox
        var colour: Colour?

        enum Colour: UInt16, FieldValue { case red = 7, green = 700 }

        init() {}

        init(from fields: inout some FieldDecoder) throws {
            flag = try fields.decode(Field(3, "flag"))
            small = try fields.decode(Field(4, "small"))
            large = try fields.decode(Field(5, "large"))
            signed = try fields.decode(Field(6, "signed"))
            time = try fields.decode(Field(7, "recorded"))
            folder = try fields.decode(Field(8, "folder"))
            colour = try fields.decode(Field(9, "colour"))
        }

        func encode(to fields: inout some FieldEncoder) throws {
            try fields.encode(flag, for: Field(3, "flag"))
            try fields.encode(small, for: Field(4, "small"))
            try fields.encode(large, for: Field(5, "large"))
            try fields.encode(signed, for: Field(6, "signed"))
            try fields.encode(time, for: Field(7, "recorded"))
            try fields.encode(folder, for: Field(8, "folder"))
            try fields.encode(colour, for: Field(9, "colour"))
        }
    }

    struct Strings: DeclaredFields {
        var string = ""
        var optional: String?
        var list: [String] = []
        var bytes: [UInt8] = []
        var optionalBytes: [UInt8]?
        var pairs: [String: String] = [:]

        static let fieldList = FieldList(
            Self.init,
            FieldOf(10, "string", \Self.string), FieldOf(11, "optional", \Self.optional),
            FieldOf(12, "list", \Self.list), FieldOf(13, "bytes", \Self.bytes),
            FieldOf(14, "optionalBytes", \Self.optionalBytes), FieldOf(15, "pairs", \Self.pairs))
    }

    struct Names: DeclaredFields {
        var user: UserID = "u"
        var someone: UserID?
        var users: [UserID] = []
        var conversation = ConversationKey.group("g")
        var conversations: [ConversationKey] = []
        var message = MessageReference.local(LocalMessageID(1))
        var messages: [MessageReference] = []
        var order: MessageOrder?
        var token: ClientToken?

        static let fieldList = FieldList(
            Self.init,
            FieldOf(16, "user", \Self.user), FieldOf(17, "someone", \Self.someone), FieldOf(18, "users", \Self.users),
            FieldOf(19, "conversation", \Self.conversation), FieldOf(20, "conversations", \Self.conversations),
            FieldOf(21, "message", \Self.message), FieldOf(23, "messages", \Self.messages),
            FieldOf(25, "order", \Self.order), FieldOf(63, "token", \Self.token))
    }

    struct Content: DeclaredFields {
        var text: String?
        var data: [UInt8]?
        var words: [String] = []
        var about: UserID?
        var elsewhere: [ConversationKey] = []

        static let fieldList = FieldList(
            Self.init,
            ContentFieldOf(1, "text", \Self.text), ContentFieldOf(2, "data", \Self.data),
            ContentFieldOf(3, "words", \Self.words), ContentFieldOf(4, "about", \Self.about),
            ContentFieldOf(63, "elsewhere", \Self.elsewhere))
    }
}
