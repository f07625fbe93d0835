extension MatrixRoom {
    /// The state that becomes an attribute: by its type, the member of its content that holds the value.
    private static let attributes = [
        "m.room.topic": "topic", "m.room.canonical_alias": "alias", "m.room.join_rules": "join_rule",
        "m.room.history_visibility": "history_visibility", "m.room.guest_access": "guest_access",
        "m.room.encryption": "algorithm", "m.room.tombstone": "replacement_room",
    ]

    mutating func apply(state event: MatrixEvent) throws {
        if event.type == "m.room.member" { return try apply(member: event) }
        guard event.stateKey == "" else { return skip(.state) }
        switch event.type {
        case "m.room.create":
            let creator = event.content["creator"]?.string.map { UserID($0) } ?? event.sender
            add(ConversationCreated(ConversationFields(creator: creator, kind: try kind())), of: event, "create")
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

    /// The kind where the key does not have it.
    private func kind() throws -> ConversationKind? {
        guard rules.keys == .byID else { return nil }
        if isDirect { return .single }
        return try rules.store.read { try $0.conversation(key)?.kind } == .single ? .single : .group
    }

    private mutating func update(_ fields: ConversationFields, _ event: MatrixEvent) {
        add(ConversationUpdated(fields, by: event.sender), of: event, "update")
    }

    /// Each change has all attributes.
    private mutating func setAttributes(_ names: [String], _ event: MatrixEvent) throws {
        var all = try attributes ?? recordedAttributes()
        for name in names { all[name] = event.content[name]?.string }
        attributes = all
        let indexed = all.filter { $0.value.utf8.count <= EventLimits.keyBytes }
        let bytes = JSONValue.object(all.mapValues { .string($0) }).bytes
        update(ConversationFields(attributes: bytes, indexed: indexed), event)
    }

    private func recordedAttributes() throws -> [String: String] {
        let bytes = try rules.store.read { views in try views.conversation(key)?.attributes } ?? []
        return (try? JSONBytes.decode([String: String].self, from: bytes)) ?? [:]
    }

    /// A member's role is its power level; who is no longer named has the default again.
    private mutating func setRoles(_ event: MatrixEvent) {
        let usual = event.content["users_default"]?.integer ?? 0
        let levels = event.content["users"]?.object ?? [:]
        let before = event.previousContent?["users"]?.object ?? [:]
        for user in Set(levels.keys).union(before.keys).sorted() {
            let role = UInt8(clamping: levels[user]?.integer ?? usual)
            add(MemberInfoChanged(UserID(user), role: role), of: event, "role \(user)")
        }
    }
}
