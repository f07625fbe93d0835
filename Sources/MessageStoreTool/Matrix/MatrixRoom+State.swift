internal import MessageStore

extension MatrixRoom {
    /// The state that becomes an attribute: by its type, the member of its content that holds the value.
    private static let attributes = [
        "m.room.topic": "topic", "m.room.canonical_alias": "alias", "m.room.join_rules": "join_rule",
        "m.room.history_visibility": "history_visibility", "m.room.guest_access": "guest_access",
        "m.room.encryption": "algorithm", "m.room.tombstone": "replacement_room",
    ]

    mutating func apply(state event: MatrixEvent) throws {
        if event.type == "m.room.member" { return apply(member: event) }
        guard event.stateKey == "" else { return skip(.state) }
        switch event.type {
        case "m.room.create":
            let creator = event.content["creator"]?.string.map { UserID($0) } ?? event.sender
            add(ConversationCreated(ConversationFields(creator: creator)), of: event, "create")
            let names = ["type", "room_version"].filter { event.content[$0] != nil }
            if !names.isEmpty { try setAttributes(names, event) }
        case "m.room.name":
            update(ConversationFields(name: event.content["name"]?.string ?? ""), event)
        case "m.room.avatar":
            update(ConversationFields(avatarURL: event.content["url"]?.string ?? ""), event)
        case "m.room.power_levels":
            setRoles(event)
        default:
            guard let name = Self.attributes[event.type] else { return skip(.state) }
            try setAttributes([name], event)
        }
    }

    private mutating func update(_ fields: ConversationFields, _ event: MatrixEvent) {
        add(ConversationUpdated(fields, by: event.sender), of: event, "update")
    }

    private mutating func setAttributes(_ names: [String], _ event: MatrixEvent) throws {
        let changes = names.map { ($0, event.content[$0]?.string) }
        let all = try memory.change(Dictionary(uniqueKeysWithValues: changes), of: key)
        let indexed = all.filter { $0.value.utf8.count <= EventLimits.keyBytes }
        let attributes = JSONValue.object(all.mapValues { .string($0) }).bytes
        update(ConversationFields(attributes: attributes, indexed: indexed), event)
    }

    /// A member's role is its power level; who is no longer named has the default again.
    private mutating func setRoles(_ event: MatrixEvent) {
        let usual = event.content["users_default"]?.integer ?? 0
        let levels = event.content["users"]?.object ?? [:]
        let before = event.previousContent?["users"]?.object ?? [:]
        for user in Set(levels.keys).union(before.keys).ordered() {
            let role = UInt8(clamping: levels[user]?.integer ?? usual)
            add(MemberInfoChanged(UserID(user), role: role), of: event, "role \(user)")
        }
    }
}
