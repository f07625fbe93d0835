extension RecordDecoder {
    /// The content of a message's record; ``ContentType`` alone where it was redacted.
    package func content(of record: RecordView) throws -> MessageContent {
        var content = MessageContent(type: try symbols.contentType(record.contentType))
        var reader = FieldReader(record.content)
        while let field = reader.next() {
            switch field.id {
            case 1: content.text = field.string
            case 2: content.data = field.bytes.copied
            case 3: content.attributes = field.bytes.copied
            default: break
            }
        }
        return content
    }

    package func context(of record: RecordView) throws -> MessageContext {
        MessageContext(
            mentions: try users(3, of: record) ?? [], mentionsEveryone: flag(4, of: record),
            visibleTo: try users(5, of: record), replyTo: record.string(6).map(ServerMessageID.init),
            forwardOf: record.string(7).map(ServerMessageID.init), pushText: contentString(4, of: record))
    }

    func policy(of record: RecordView) -> MessagePolicy {
        MessagePolicy(
            countsUnread: record.flags.contains(.countsUnread),
            updatesLastMessage: record.flags.contains(.updatesLastMessage))
    }

    func fields(of record: RecordView) throws -> ConversationFields {
        ConversationFields(
            name: record.string(3),
            creator: try record.number(4).map { try symbols.user(UInt32(truncatingIfNeeded: $0)) },
            avatarURL: record.string(5), attributes: record.fieldContent(6)?.copied,
            indexed: indexed(of: record))
    }

    private func indexed(of record: RecordView) -> [String: String]? {
        guard let container = record.fieldContent(8) else { return nil }
        return FieldReader.pairs(1, in: container)
    }

    func profiles(of record: RecordView) throws -> [Profile] {
        var profiles: [Profile] = []
        var reader = record.fields
        while let field = reader.next() {
            guard field.id == 3 else { continue }
            var nested = FieldReader(field.bytes)
            var number: UInt32 = 0
            var profile = Profile(id: "")
            while let part = nested.next() {
                switch part.id {
                case 1: number = UInt32(truncatingIfNeeded: part.number)
                case 2: profile.userID = part.string
                case 3: profile.name = part.string
                case 4: profile.avatarURL = part.string
                default: break
                }
            }
            profile.id = try symbols.user(number)
            profiles.append(profile)
        }
        return profiles
    }

    func teams(of record: RecordView) throws -> [TeamInfo] {
        var teams: [TeamInfo] = []
        var reader = record.fields
        while let field = reader.next() {
            guard field.id == 3 else { continue }
            var nested = FieldReader(field.bytes)
            var number: UInt32 = 0
            var team = TeamInfo(id: .group(""))
            while let part = nested.next() {
                switch part.id {
                case 1: number = UInt32(truncatingIfNeeded: part.number)
                case 2: team.name = part.string
                case 3: team.avatarURL = part.string
                case 4: team.kind = UInt8(truncatingIfNeeded: part.number)
                default: break
                }
            }
            team.id = try symbols.conversation(number)
            teams.append(team)
        }
        return teams
    }

    func verdict(of record: RecordView) throws -> FilterVerdict {
        switch byte(5, of: record) {
        case 0: .keep
        case 1: .hide
        default: .replace(try content(of: record))
        }
    }

    package func senderProfile(of record: RecordView) -> SenderProfile? {
        let profile = SenderProfile(name: contentString(5, of: record), avatarURL: contentString(6, of: record))
        return profile == SenderProfile() ? nil : profile
    }

    func counts(of record: RecordView) -> ReadCounts? {
        guard let read = record.number(6), let unread = record.number(7) else { return nil }
        return ReadCounts(read: UInt32(truncatingIfNeeded: read), unread: UInt32(truncatingIfNeeded: unread))
    }

    func users(_ id: UInt32, of record: RecordView) throws -> [UserID]? {
        var reader = record.fields
        while let field = reader.next() {
            if field.id == id { return try field.packed.map { try symbols.user($0) } }
        }
        return nil
    }

    func token(of record: RecordView) -> ClientToken? {
        record.clientToken.byteCount > 0 ? ClientToken(record.clientToken.string) : nil
    }

    func local(of record: RecordView) -> LocalMessageID { LocalMessageID(record.number(3) ?? 0) }

    func time(of record: RecordView) -> Timestamp { record.serverTime ?? .unknown }

    func actor(of record: RecordView) throws -> UserID? {
        record.actor == 0 ? nil : try symbols.user(record.actor)
    }

    func flag(_ id: UInt32, of record: RecordView) -> Bool { record.number(id) == 1 }

    func byte(_ id: UInt32, of record: RecordView) -> UInt8 { UInt8(truncatingIfNeeded: record.number(id) ?? 0) }

    func order(_ id: UInt32, of record: RecordView) -> MessageOrder? {
        guard let time = record.number(id) else { return nil }
        return MessageOrder(
            time: Timestamp(milliseconds: Int64(bitPattern: time)), id: record.string(id + 1).map(ServerMessageID.init))
    }

    func references(of record: RecordView) -> [MessageReference] {
        var references: [MessageReference] = []
        record.forEachReference { reference in
            switch reference {
            case .local(let id): references.append(.local(id))
            case .server(let bytes): references.append(.server(ServerMessageID(bytes.string)))
            }
        }
        return references
    }

    func reference(of record: RecordView) throws -> MessageReference {
        guard let first = references(of: record).first else {
            throw StoreError(.recordDamaged, "\(record.type) names no message", position: record.position)
        }
        return first
    }

    func scope(of record: RecordView) -> ReceiptScope {
        if let time = record.number(5) { return .upTo(Timestamp(milliseconds: Int64(bitPattern: time))) }
        return .messages(references(of: record))
    }

    func contentString(_ id: UInt32, of record: RecordView) -> String? {
        var reader = FieldReader(record.content)
        while let field = reader.next() {
            if field.id == id { return field.string }
        }
        return nil
    }
}
