import MessageStore

/// A sync response as the store records it: its events in their order, the last of which is the place to continue from.
struct MatrixSync {
    /// The name of the cursor in the store.
    static let cursorName = "matrix"

    private(set) var events: [Event] = []
    /// The place to continue from.
    let cursor: String
    /// How many events of the response could not be recorded.
    private(set) var skipped = 0
    /// Whether there is anything but a new place.
    var isEmpty: Bool { events.count <= 1 }

    init(
        _ response: JSONValue, account: UserID, origin: Origin, places: [String: MessageOrder], lookup: MatrixLookup
    ) throws {
        let cursor = try response.required("next_batch", longest: JSONValue.longestToken)
        self.cursor = cursor
        let direct = response.events("account_data").last { $0["type"]?.string == "m.direct" }
            .map { data in
                Set((data["content"]?.members ?? []).flatMap { $0.value.array ?? [] }.compactMap(\.string))
            }
        func room(_ id: String) -> MatrixRoom {
            var room = MatrixRoom(id, account: account, origin: origin, cursor: cursor, lookup: lookup)
            room.isDirect = direct?.contains(id)
            room.places = places
            return room
        }
        for section in ["join", "leave"] {
            for (id, value) in response["rooms"]?[section]?.members ?? [] {
                var room = room(id)
                try room.apply(value, isJoined: section == "join")
                add(room)
            }
        }
        for (id, value) in response["rooms"]?["invite"]?.members ?? [] {
            var room = room(id)
            try room.apply(invitation: value)
            add(room)
        }
        let rooms = Set(["join", "leave", "invite"].flatMap { response["rooms"]?[$0]?.members.map(\.key) ?? [] })
        if let direct { try setKinds(direct, in: rooms, lookup, origin) }
        events.append(Event(SyncCursorAdvanced(name: Self.cursorName, value: Array(cursor.utf8)), origin: origin))
    }

    private mutating func add(_ room: MatrixRoom) {
        events += room.events
        skipped += room.skipped
    }

    /// The rooms that the account data calls direct are those of two people, and no others. It may still name rooms that
    /// the account left long ago, which neither the response nor the store has.
    private mutating func setKinds(
        _ direct: Set<String>, in rooms: Set<String>, _ lookup: MatrixLookup, _ origin: Origin
    ) throws {
        for room in direct.symmetricDifference(try lookup.directRooms()).sorted() {
            guard try rooms.contains(room) || lookup.kind(of: .id(room)) != nil else { continue }
            let kind = direct.contains(room) ? ConversationKind.single : .group
            let update = ConversationUpdated(ConversationFields(kind: kind))
            events.append(Event(update, in: .id(room), origin: origin))
        }
    }
}
