import MessageStore

/// Random events of a host, the same for the same seed.
struct HostRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func next() -> UInt64 {
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    mutating func number(below limit: Int) -> Int { Int(next() % UInt64(limit)) }

    private mutating func maybe<Value>(_ make: (inout HostRandom) -> Value) -> Value? {
        number(below: 3) == 0 ? nil : make(&self)
    }

    private mutating func list<Value>(_ make: (inout HostRandom) -> Value) -> [Value] {
        (0..<number(below: 4)).map { _ in make(&self) }
    }

    /// Any number, small ones and the greatest among them.
    private mutating func bits() -> UInt64 { next() >> UInt64(number(below: 65)) }

    private mutating func string() -> String {
        String(
            (0..<number(below: 9)).map { _ in ["a", "é", "张", "👩‍👧", "\0", "\"", "e\u{301}"][number(below: 7)] }.joined())
    }

    private mutating func name(_ prefix: String) -> String { "\(prefix)\(number(below: 12))" + string() }
    private mutating func bytes() -> [UInt8] { list { UInt8(truncatingIfNeeded: $0.next()) } }
    private mutating func time() -> Timestamp { Timestamp(milliseconds: Int64(bits() % 253_402_300_800_000)) }
    private mutating func user() -> UserID { UserID(name("u")) }

    private mutating func conversation() -> ConversationKey {
        ConversationKey(
            ConversationKind(rawValue: UInt8(1 + number(below: 20))), name("c"), channel: maybe { $0.name("n") })
    }

    private mutating func message() -> MessageReference {
        number(below: 2) == 0 ? .local(LocalMessageID(bits())) : .server(ServerMessageID(name("s")))
    }

    private mutating func everything() -> Everything {
        var event = Everything()
        event.numbers.flag = number(below: 2) == 0
        event.numbers.small = UInt8(truncatingIfNeeded: next())
        event.numbers.large = maybe { $0.bits() }
        event.numbers.signed = Int64(bitPattern: bits())
        event.numbers.time = maybe { $0.time() }
        event.numbers.folder = Folder(rawValue: UInt8(number(below: 5)))
        event.numbers.colour = maybe { [.red, .green][$0.number(below: 2)] }
        event.strings.string = string()
        event.strings.optional = maybe { $0.string() }
        event.strings.list = list { $0.string() }
        event.strings.bytes = bytes()
        event.strings.optionalBytes = maybe { $0.bytes() }
        for key in list({ $0.string() }) { event.strings.pairs[key] = string() }
        event.names.user = user()
        event.names.someone = maybe { $0.user() }
        event.names.users = list { $0.user() }
        event.names.conversation = conversation()
        event.names.conversations = list { $0.conversation() }
        event.names.message = message()
        event.names.messages = list { $0.message() }
        event.names.order = maybe { MessageOrder(time: $0.time(), id: $0.maybe { ServerMessageID($0.name("s")) }) }
        event.names.token = maybe { ClientToken($0.name("t")) }
        event.content.text = maybe { $0.string() }
        event.content.data = maybe { $0.bytes() }
        event.content.words = list { $0.string() }
        event.content.about = maybe { $0.user() }
        event.content.elsewhere = list { $0.conversation() }
        event.actor = maybe { $0.user() }
        event.time = time()
        return event
    }

    /// A host's event, or a built-in one that names some of the same users and conversations.
    mutating func event(_ index: Int) -> Event {
        let place = maybe { $0.conversation() }
        switch number(below: 4) {
        case 0:
            let message = MessageReceived(
                serverID: ServerMessageID("m\(index)"), sender: user(), sentTime: time(), content: .text(string()),
                context: MessageContext(mentions: list { $0.user() }))
            return Event(message, in: place ?? .group("g"), origin: .live)
        case 1:
            return Event(ProfileInvalidated([user()]))
        default:
            let payload = everything()
            return Event(
                any: payload, in: place, id: maybe { _ in EventID("e\(index)") },
                origin: Origin(rawValue: UInt8(number(below: 8))), serverTime: payload.time,
                device: maybe { DeviceID($0.name("d")) })
        }
    }
}
