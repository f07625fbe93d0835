internal import MessageStore
internal import MessageStoreWorkload

extension RandomEvents {
    mutating func conversationStateEvent(in key: ConversationKey) -> Event {
        switch random.nextIndex(10) {
        case 0, 1: Event(ConversationTagged(add: tags(), remove: tags(), at: maybeTime()), in: key)
        case 2: Event(ConversationInvalidated(), in: key)
        case 3:
            Event(
                MemberMuted(user(), until: random.chance(0.4) ? nil : random.chance(0.5) ? .latest : time()),
                in: key)
        case 4: Event(MemberBlocked(user(), random.chance(0.6)), in: key)
        case 5...7: chatRoomEvent()
        case 8: Event(TeamInfoInvalidated(random.chance(0.3) ? nil : [conversation()]))
        default: Event(TeamInfoFetched([team(), team()]))
        }
    }

    /// Chat rooms are told no kind.
    mutating func maybeKind(of key: ConversationKey) -> ConversationKind? {
        guard key.kind != .chatRoom, random.chance(0.4) else { return nil }
        let kinds: [ConversationKind] = [.single, .group, .system]
        return kinds[random.nextIndex(kinds.count)]
    }

    mutating func maybeIndexed() -> [String: String]? {
        guard random.chance(0.4) else { return nil }
        var indexed: [String: String] = [:]
        for _ in 0..<random.nextIndex(3) { indexed["k\(random.nextIndex(2))"] = "v\(random.nextIndex(2))" }
        return indexed
    }

    /// Values of every type under few names, in an object within the object, and bytes that are none.
    mutating func maybeAttributes() -> [UInt8]? {
        switch random.nextIndex(10) {
        case 0..<6: return nil
        case 6: return [1, 2, 3]
        default:
            let values = [
                "1", "2.0", "2.5", "-3", "true", "false", "null", "\"v0\"", "\"v1\"", "\"é\"", "[]",
                "[1,\"v0\",[2],null]",
                "[true,2.5]", "{\"k0\":1,\"k1\":\"v1\"}",
            ]
            let pairs = ["k0", "k1", "k2", "k2.k0"].filter { _ in random.chance(0.6) }.map { name in
                "\"\(name)\":\(values[random.nextIndex(values.count)])"
            }
            return Array("{\(pairs.joined(separator: ","))}".utf8)
        }
    }

    private mutating func chatRoomEvent() -> Event {
        let room = ConversationKey(.chatRoom, random.chance(0.5) ? "room" : "g1")
        self.room = room
        switch random.nextIndex(4) {
        case 0: return Event(ChatRoomJoined(at: time()), in: room)
        case 1:
            let reason = ChatRoomLeaveReason(rawValue: UInt8(random.nextIndex(5)))
            return Event(ChatRoomLeft(reason, at: time()), in: room)
        default:
            var values: [String: String] = [:]
            for _ in 0..<random.nextIndex(3) { values["e\(random.nextIndex(4))"] = "\(random.nextIndex(9))" }
            let removed = random.chance(0.5) ? ["e\(random.nextIndex(4))"] : []
            return Event(ChatRoomEntriesChanged(set: values, remove: removed), in: room)
        }
    }

    private mutating func team() -> TeamInfo {
        TeamInfo(
            id: conversation(), name: random.chance(0.7) ? "team \(random.nextIndex(9))" : nil,
            avatarURL: random.chance(0.5) ? "team url" : nil, kind: random.chance(0.5) ? 1 : nil,
            thumbnailURL: random.chance(0.2) ? "small" : nil, attributes: random.chance(0.2) ? [2] : nil)
    }

    private mutating func tags() -> [String] { (0..<random.nextIndex(3)).map { _ in "t\(random.nextIndex(4))" } }
}
