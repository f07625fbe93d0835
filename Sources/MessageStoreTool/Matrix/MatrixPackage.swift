internal import MessageStore

/// A sync response, as the store records it: events, in the order in which they are recorded, and a count of the rest.
struct MatrixPackage {
    static let cursorName = "matrix"

    private(set) var events: [Event] = []
    private(set) var skipped: [MatrixSkip: Int] = [:]

    init(_ sync: MatrixSync, account: UserID, memory: MatrixMemory) throws {
        let directBefore = memory.directRooms
        for value in sync.body.events("account_data") {
            guard value["type"]?.string == "m.direct" else { skip(.accountData, 1); continue }
            let rooms = (value["content"]?.members ?? []).flatMap { $0.value.array ?? [] }
            memory.directRooms = Set(rooms.compactMap(\.string))
        }
        skipEphemeral(sync.body)
        for (id, room) in sync.rooms("join") {
            try add(id, sync, account, memory) { try $0.apply(room, isJoined: true) }
        }
        for (id, room) in sync.rooms("invite") {
            let isDirect = room.events("invite_state").contains { event in
                event["state_key"]?.string == account.rawValue && event["content"]?["is_direct"]?.bool == true
            }
            try add(id, sync, account, memory, isDirect: isDirect) { try $0.apply(invitation: room) }
        }
        for (id, room) in sync.rooms("leave") {
            try add(id, sync, account, memory) { try $0.apply(room, isJoined: false) }
        }
        for id in directBefore.symmetricDifference(memory.directRooms).ordered() where try memory.knows(id) {
            let kind = memory.directRooms.contains(id) ? ConversationKind.single : .group
            try add(id, sync, account, memory) { try $0.apply(kind: kind) }
        }
        skip(.knock, sync.rooms("knock").count)
        let cursor = SyncCursorAdvanced(name: Self.cursorName, value: Array(sync.nextBatch.utf8))
        events.append(Event(cursor, origin: .offline))
    }

    private mutating func add(
        _ id: String, _ sync: MatrixSync, _ account: UserID, _ memory: MatrixMemory, isDirect: Bool = false,
        _ apply: (inout MatrixRoom) throws -> Void
    ) throws {
        let key = try memory.key(of: id, isDirect: isDirect)
        var room = MatrixRoom(account: account, id: id, key: key, cursor: sync.nextBatch, memory: memory)
        try apply(&room)
        events.append(contentsOf: room.events)
        skipped.merge(room.skipped, uniquingKeysWith: +)
    }

    /// Counts data that holds for a moment only, or for the encryption of a device.
    private mutating func skipEphemeral(_ body: JSONValue) {
        skip(.ephemeral, body.events("presence").count + body.events("to_device").count)
        for list in ["changed", "left"] { skip(.ephemeral, body["device_lists"]?[list]?.array?.count ?? 0) }
        skip(.ephemeral, body["device_one_time_keys_count"]?.object?.count ?? 0)
    }

    private mutating func skip(_ reason: MatrixSkip, _ count: Int) {
        if count > 0 { skipped[reason, default: 0] += count }
    }
}
