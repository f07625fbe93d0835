import MessageStore

/// An event with a field of every type that a host can declare.
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

    struct Strings: FieldGroup {
        var string = ""
        var optional: String?
        var list: [String] = []
        var bytes: [UInt8] = []
        var optionalBytes: [UInt8]?
        var pairs: [String: String] = [:]

        init() {}

        init(from fields: inout some FieldDecoder) throws {
            string = try fields.decode(Field(10, "string"))
            optional = try fields.decode(Field(11, "optional"))
            list = try fields.decode(Field(12, "list"))
            bytes = try fields.decode(Field(13, "bytes"))
            optionalBytes = try fields.decode(Field(14, "optionalBytes"))
            pairs = try fields.decode(Field(15, "pairs"))
        }

        func encode(to fields: inout some FieldEncoder) throws {
            try fields.encode(string, for: Field(10, "string"))
            try fields.encode(optional, for: Field(11, "optional"))
            try fields.encode(list, for: Field(12, "list"))
            try fields.encode(bytes, for: Field(13, "bytes"))
            try fields.encode(optionalBytes, for: Field(14, "optionalBytes"))
            try fields.encode(pairs, for: Field(15, "pairs"))
        }
    }

    struct Names: FieldGroup {
        var user: UserID = "u"
        var someone: UserID?
        var users: [UserID] = []
        var conversation = ConversationKey.group("g")
        var conversations: [ConversationKey] = []
        var message = MessageReference.local(LocalMessageID(1))
        var messages: [MessageReference] = []
        var order: MessageOrder?
        var token: ClientToken?

        init() {}

        init(from fields: inout some FieldDecoder) throws {
            user = try fields.decode(Field(16, "user"))
            someone = try fields.decode(Field(17, "someone"))
            users = try fields.decode(Field(18, "users"))
            conversation = try fields.decode(Field(19, "conversation"))
            conversations = try fields.decode(Field(20, "conversations"))
            message = try fields.decode(Field(21, "message"))
            messages = try fields.decode(Field(23, "messages"))
            order = try fields.decode(Field(25, "order"))
            token = try fields.decode(Field(63, "token"))
        }

        func encode(to fields: inout some FieldEncoder) throws {
            try fields.encode(user, for: Field(16, "user"))
            try fields.encode(someone, for: Field(17, "someone"))
            try fields.encode(users, for: Field(18, "users"))
            try fields.encode(conversation, for: Field(19, "conversation"))
            try fields.encode(conversations, for: Field(20, "conversations"))
            try fields.encode(message, for: Field(21, "message"))
            try fields.encode(messages, for: Field(23, "messages"))
            try fields.encode(order, for: Field(25, "order"))
            try fields.encode(token, for: Field(63, "token"))
        }
    }

    struct Content: FieldGroup {
        var text: String?
        var data: [UInt8]?
        var words: [String] = []
        var about: UserID?
        var elsewhere: [ConversationKey] = []

        init() {}

        init(from fields: inout some FieldDecoder) throws {
            text = try fields.decode(ContentField(1, "text"))
            data = try fields.decode(ContentField(2, "data"))
            words = try fields.decode(ContentField(3, "words"))
            about = try fields.decode(ContentField(4, "about"))
            elsewhere = try fields.decode(ContentField(63, "elsewhere"))
        }

        func encode(to fields: inout some FieldEncoder) throws {
            try fields.encode(text, for: ContentField(1, "text"))
            try fields.encode(data, for: ContentField(2, "data"))
            try fields.encode(words, for: ContentField(3, "words"))
            try fields.encode(about, for: ContentField(4, "about"))
            try fields.encode(elsewhere, for: ContentField(63, "elsewhere"))
        }
    }
}
