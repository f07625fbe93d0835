/// The rules by which the responses of one account's Matrix server become events of its store.
///
/// ```swift
/// var rules = MatrixRules(store)
/// let package = try rules.package(of: answer.value, nextBatch: nextBatch, origin: .live)
/// try store.record(package.events)
/// ```
///
/// Earlier responses are looked up in the store, so each package is recorded before the next is made. An event
/// that the store refuses is left out and counted: the events of a package are all valid. `Docs/MatrixSync.md` states
/// the rules.
public struct MatrixRules: Sendable {
    /// How the conversations of rooms are named.
    public enum Keys: Sendable {
        /// `group`, or `single` if the room is direct when it is first mentioned.
        case byKind
        /// ``ConversationKey/id(_:)``; events set the kind.
        case byID
    }

    /// The name of the cursor in the store.
    public static let cursorName = "matrix"

    let store: MessageStore
    let keys: Keys
    let allowsTimesInSeconds: Bool
    /// The rooms that the account data calls direct.
    private(set) var direct: Set<String> = []
    /// The places of events that the log cannot find by their ids, by conversation.
    private var places: [ConversationKey: [String: MessageOrder]] = [:]

    /// Creates the rules for a store's account.
    ///
    /// - Parameters:
    ///   - keys: How the conversations of rooms are named, which is the same for all packages of a store.
    ///   - allowsTimesInSeconds: Whether the store accepts times that look like seconds; without, their events are left
    ///     out.
    public init(_ store: MessageStore, keys: Keys = .byID, allowsTimesInSeconds: Bool = false) {
        (self.store, self.keys, self.allowsTimesInSeconds) = (store, keys, allowsTimesInSeconds)
    }

    /// Turns a response into events. Costs a few reads for each room and for each change of an earlier message.
    ///
    /// - Parameters:
    ///   - response: The answer to `GET /_matrix/client/v3/sync`.
    ///   - nextBatch: Its `next_batch`, which becomes the cursor, and names events without an id.
    ///   - origin: `offline` for missed events, `live` for ones that come over a connection.
    /// - Throws: `StoreError` if the store cannot be read.
    public mutating func package(
        of response: JSONValue, nextBatch: String, origin: Origin
    ) throws -> MatrixPackage {
        var package = MatrixPackage()
        let directBefore = direct
        for value in response.events("account_data") {
            guard value["type"]?.string == "m.direct" else { package.skip(.accountData, 1); continue }
            let rooms = (value["content"]?.members ?? []).flatMap { $0.value.array ?? [] }
            direct = Set(rooms.compactMap(\.string))
        }
        package.skip(.ephemeral, Self.ephemeral(in: response))
        var received: [String: ConversationKey] = [:]
        for section in ["join", "invite", "leave"] {
            for (id, value) in response["rooms"]?[section]?.members ?? [] {
                guard value.object != nil else { package.skip(.missingField, 1); continue }
                let isDirect = direct.contains(id) || section == "invite" && invitesDirectly(value)
                var room = MatrixRoom(
                    self, key: try key(of: id, isDirect: isDirect), isDirect: isDirect, origin: origin,
                    cursor: nextBatch)
                switch section {
                case "invite": try room.apply(invitation: value)
                default: try room.apply(value, isJoined: section == "join")
                }
                received[id] = room.key
                for (event, place) in room.unnamed { learn(place, of: event, in: room.key) }
                package.add(room)
            }
        }
        let changed = direct == directBefore ? [] : direct.union(directBefore)
        for id in changed.union(direct.intersection(received.keys)).sorted() {
            guard let key = try received[id] ?? recordedKey(of: id) else { continue }
            try setKind(of: key, isDirect: direct.contains(id), nextBatch, origin, &package)
        }
        package.skip(.knock, response["rooms"]?["knock"]?.members.count ?? 0)
        let cursor = SyncCursorAdvanced(name: Self.cursorName, value: Array(nextBatch.utf8))
        package.events.append(Event(cursor, origin: origin))
        return package
    }

    /// Turns a page of history into events, without the state in it, which says nothing of now.
    ///
    /// - Parameters:
    ///   - events: The page's events, oldest first.
    ///   - conversation: The conversation of the room.
    /// - Throws: `StoreError` if the store cannot be read.
    public func package(
        ofHistory events: [MatrixEvent], in conversation: ConversationKey
    ) throws -> MatrixPackage {
        var room = MatrixRoom(self, key: conversation, isDirect: false, origin: .history, cursor: "")
        try room.apply(timeline: events.filter { $0.stateKey == nil })
        var package = MatrixPackage()
        package.add(room)
        return package
    }

    // MARK: Places

    /// The place of an event of an earlier response: a message, or one that became another event; nil if neither the
    /// store nor these rules have it.
    ///
    /// - Throws: `StoreError` if the store cannot be read.
    public func place(of event: String, in conversation: ConversationKey) throws -> MessageOrder? {
        let place =
            try places[conversation]?[event]
            ?? store.read { views in
                if let message = try views.message(.server(ServerMessageID(event)), in: conversation) {
                    return MessageOrder(time: message.time, id: message.serverID)
                }
                for part in MatrixRoom.parts {
                    let id = MatrixRoom.eventID(conversation.id, event, part)
                    guard let time = try views.event(id: id)?.event.serverTime else { continue }
                    return MessageOrder(time: time, id: ServerMessageID(event))
                }
                return nil
            }
        return place.flatMap { allows($0.time) ? $0 : nil }
    }

    /// Takes over the place of an event that the server was asked for.
    public mutating func learn(_ place: MessageOrder, of event: String, in conversation: ConversationKey) {
        places[conversation, default: [:]][event] = place
    }

    /// Whether a time is one that the store accepts.
    func allows(_ time: Timestamp) -> Bool { allowsTimesInSeconds || !time.looksLikeSeconds }

    // MARK: Conversations

    /// The conversation of a room: its key has the kind that the room had first.
    private func key(of room: String, isDirect: Bool) throws -> ConversationKey {
        if keys == .byID { return .id(room) }
        return try recordedKey(of: room) ?? (isDirect ? .single(room) : .group(room))
    }

    private func recordedKey(of room: String) throws -> ConversationKey? {
        try store.read { views in
            let possible: [ConversationKey] = keys == .byID ? [.id(room)] : [.group(room), .single(room)]
            return try possible.first { try views.conversation($0) != nil }
        }
    }

    private func setKind(
        of key: ConversationKey, isDirect: Bool, _ cursor: String, _ origin: Origin, _ package: inout MatrixPackage
    ) throws {
        let kind = isDirect ? ConversationKind.single : .group
        let before = try store.read { try $0.conversation(key)?.kind } ?? key.kind
        guard kind != before else { return }
        var room = MatrixRoom(self, key: key, isDirect: isDirect, origin: origin, cursor: cursor)
        room.add(ConversationUpdated(ConversationFields(kind: kind)), id: cursor, "kind")
        package.add(room)
    }

    /// Whether the account's own invitation calls the room direct.
    private func invitesDirectly(_ room: JSONValue) -> Bool {
        room.events("invite_state").contains { event in
            event["state_key"]?.string == store.account.rawValue && event["content"]?["is_direct"]?.bool == true
        }
    }

    /// How much holds for a moment only, or for the encryption of a device.
    private static func ephemeral(in response: JSONValue) -> Int {
        let lists = ["changed", "left"].map { response["device_lists"]?[$0]?.array?.count ?? 0 }
        return response.events("presence").count + response.events("to_device").count + lists.reduce(0, +)
            + (response["device_one_time_keys_count"]?.object?.count ?? 0)
    }
}

/// Why something of a response is not recorded.
public enum MatrixSkip: String, Sendable, Hashable {
    /// Typing, presence, and events that only the encryption of a device needs.
    case ephemeral = "ephemeral"
    /// Account data that a store has no place for.
    case accountData = "other account data"
    /// State that a store has no place for.
    case state = "other state"
    /// A room or member that knocks.
    case knock = "knock"
    /// An event that lacks a field of every event, or one that its type needs.
    case missingField = "field missing"
    /// An event with an id, a time or another value that a store refuses.
    case notAllowed = "not allowed in a store"
    /// An event with a time that looks like seconds.
    case timeInSeconds = "time in seconds"
    /// A receipt of a thread alone.
    case threadReceipt = "receipt of a thread"
    /// A receipt of the account that names an event without a place.
    case unknownReceipt = "receipt of an unknown event"
    /// A count of a room that has nothing else in the response.
    case unreadCount = "unread count without an event"
    /// An edit of a message that is not known, or that another sent.
    case foreignEdit = "edit of an unknown or another's message"
}

/// A sync response, or a page of history, as the store records it.
public struct MatrixPackage: Sendable {
    /// The events, in the order in which they are recorded; of a response, the last one is its cursor.
    public internal(set) var events: [Event] = []
    /// How much is not recorded, by reason.
    public internal(set) var skipped: [MatrixSkip: Int] = [:]

    mutating func skip(_ reason: MatrixSkip, _ count: Int) {
        if count > 0 { skipped[reason, default: 0] += count }
    }

    mutating func add(_ room: MatrixRoom) {
        events += room.events
        skipped.merge(room.skipped, uniquingKeysWith: +)
    }
}
