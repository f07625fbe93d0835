/// Whose values recorded ``ValuesErased`` remove: by the number of a user or conversation, or by position, the last event
/// that does.
package struct ErasedSubjects: Codable, Hashable, Sendable {
    private(set) var users: [UInt32: Position] = [:]
    private(set) var conversations: [UInt32: Position] = [:]
    /// Conversations of two with one of the users, whose names and pictures are the user's.
    private(set) var privateChats: [UInt32: Position] = [:]
    private(set) var events: [Position: Position] = [:]
    /// Users and conversations whose ids go as well.
    private(set) var userIDs: [UInt32: Position] = [:]
    private(set) var conversationIDs: [UInt32: Position] = [:]

    /// Writes what is synthesised otherwise, in order, so that equal ones are equal bytes.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        func encode<Key: Comparable & Encodable>(_ last: [Key: Position], _ key: CodingKeys) throws {
            var list = container.nestedUnkeyedContainer(forKey: key)
            for (key, position) in last.ordered(by: { $0.key < $1.key }) {
                try list.encode(key)
                try list.encode(position)
            }
        }
        try encode(users, .users)
        try encode(conversations, .conversations)
        try encode(privateChats, .privateChats)
        try encode(events, .events)
        try encode(userIDs, .userIDs)
        try encode(conversationIDs, .conversationIDs)
    }

    var isEmpty: Bool { users.isEmpty && conversations.isEmpty && events.isEmpty }

    mutating func add(_ event: RecordView, _ symbols: SymbolTable) throws {
        guard event.type == .valuesErased else { return }
        for user in event.fields.firstPacked(ValuesErased.users.number) ?? [] {
            users[user] = event.position
            if let chat = try symbols.existingNumber(of: .single(symbols.user(user).rawValue)) {
                privateChats[chat] = event.position
            }
        }
        event.fields.first(ValuesErased.conversations.number)?.forEachPacked { conversations[$0] = event.position }
        event.fields.forEachNumber(ValuesErased.events.number) { events[Position($0)] = event.position }
        guard event[ValuesErased.alsoIDs] == true else { return }
        for user in event.fields.firstPacked(ValuesErased.users.number) ?? [] { userIDs[user] = event.position }
        event.fields.first(ValuesErased.conversations.number)?.forEachPacked { conversationIDs[$0] = event.position }
    }

    var hasIDs: Bool { !userIDs.isEmpty || !conversationIDs.isEmpty }

    /// The last event that erases ids; nil if none does.
    var endOfIDs: Position? { (Array(userIDs.values) + conversationIDs.values).max() }

    /// The same with the ids of numbers up to some.
    func withIDs(users: UInt32, conversations: UInt32) -> ErasedSubjects {
        var some = self
        some.userIDs = userIDs.filter { $0.key <= users }
        some.conversationIDs = conversationIDs.filter { $0.key <= conversations }
        return some
    }

    /// The same for the records before a position.
    func limited(to end: Position) -> ErasedSubjects {
        var limited = self
        limited.users = users.mapValues { min($0, end) }
        limited.conversations = conversations.mapValues { min($0, end) }
        limited.privateChats = privateChats.mapValues { min($0, end) }
        limited.events = events.mapValues { min($0, end) }
        limited.userIDs = userIDs.mapValues { min($0, end) }
        limited.conversationIDs = conversationIDs.mapValues { min($0, end) }
        return limited
    }
}

/// Values that recorded ``ValuesErased`` remove from the records before them, other than words elsewhere about the
/// messages that they name.
struct ErasedValues {
    private let subjects: ErasedSubjects
    private let types: EventTypes
    /// Of hosts' events, by type and version.
    private let descriptions: [UInt32: EventDescription]

    /// - Parameter log: Whose records are read.
    init(_ subjects: ErasedSubjects, in log: EventLog) throws {
        (self.subjects, types) = (subjects, log.symbols.types)
        descriptions = Dictionary(try log.eventDescriptions().map { ($0.number, $0) }) { first, _ in first }
    }

    /// The record without the values; nil if it has none of them.
    func bytes(of record: RecordView) -> (bytes: [UInt8], erased: Int)? {
        let isWhole =
            isErased(record.conversation, by: subjects.conversations, record)
            || isErased(record.position, by: subjects.events, record)
        let isAbout = isWhole || isAboutUser(record)
        let fields = erasing(record.fields, of: record, whole: isAbout)
        let content: [UInt8]
        var flags = record.flags
        if isWhole || saysUsersWords(record) || isAbout && record.type.isHosts {
            content = []
            if types.hasContent(record) || record.content.byteCount > 0 { flags.insert(.isRedacted) }
        } else if record.type.isMessage, isErased(record.actor, by: subjects.users, record) {
            content = FieldReader(record.content).changed {
                SenderProfile.numbers.contains($0.id) ? .remove : .keep
            }
        } else {
            content = record.content.copied
        }
        let erased = record.fieldBytes.byteCount + record.content.byteCount - fields.count - content.count
        let isSame = erased == 0 && flags == record.flags && fields == record.fieldBytes.copied
        return isSame ? nil : (record.bytes(fields: fields, content: content, flags: flags), max(erased, 1))
    }

    private func isErased<Key: Hashable>(
        _ key: Key, by erasures: [Key: Position], _ record: RecordView
    ) -> Bool {
        erasures[key].map { record.position < $0 } ?? false
    }

    /// Whether everything personal in the record is about an erased user.
    private func isAboutUser(_ record: RecordView) -> Bool {
        switch record.type {
        case .reactionAdded, .reactionRemoved: isErased(record.actor, by: subjects.users, record)
        case .memberInfoChanged: isErased(record[MemberInfoChanged.member], by: subjects.users, record)
        case .conversationCreated, .conversationUpdated, .conversationSnapshotReceived:
            isErased(record.conversation, by: subjects.privateChats, record)
        default: record.type.isHosts && isErased(record.actor, by: subjects.users, record)
        }
    }

    /// Whether the content is an erased user's, such as the reason of an invitation, and no message's.
    private func saysUsersWords(_ record: RecordView) -> Bool {
        !record.type.isMessage && !record.type.has(.holdsWords) && record.content.byteCount > 0
            && isErased(record.actor, by: subjects.users, record)
    }

    // MARK: Fields

    private func erasing(_ fields: FieldReader, of record: RecordView, whole: Bool) -> [UInt8] {
        let (declared, common) = (declared(record), CommonField.numbers(EventCatalog.traits[record.type] ?? []))
        return fields.changed { field in
            if common.contains(field.id) { return .keep }
            guard let description = declared.first(where: { $0.numbers.contains(field.id) }) else {
                // A newer version's, which may be personal.
                return whole ? .remove : .keep
            }
            guard description.fieldClass == .personal else { return .keep }
            if !description.elements.isEmpty {
                return whole || isAbout(field.bytes, description.elements, record)
                    ? element(field.bytes, description.elements) : .keep
            }
            guard whole else { return .keep }
            return description.refusesEmpty ? .replace(Self.placeholder) : .remove
        }
    }

    /// U+FFFD, in the place of a string that must not be empty.
    private static let placeholder = Array("\u{FFFD}".utf8)

    private func declared(_ record: RecordView) -> [FieldDescription] {
        guard record.type.isHosts else { return types[record.type]?.fields.filter { $0.part == .fields } ?? [] }
        let number = UInt32(record.type.rawValue) << 8 | UInt32(record.schemaVersion)
        return descriptions[number]?.fields.filter { $0.part == .fields } ?? []
    }

    /// Whether a group is about an erased user or conversation.
    private func isAbout(_ group: RawSpan, _ fields: [FieldDescription], _ record: RecordView) -> Bool {
        guard !record.type.isHosts, let id = fields.first, let field = FieldReader(group).first(id.number ?? 0) else {
            return false
        }
        let number = UInt32(truncatingIfNeeded: field.number)
        return switch id.type.kind {
        case .user: isErased(number, by: subjects.users, record)
        case .conversation: isErased(number, by: subjects.conversations, record)
        default: false
        }
    }

    /// A group keeps its ids; without them it says nothing.
    private func element(_ group: RawSpan, _ fields: [FieldDescription]) -> FieldChange {
        let reader = FieldReader(group)
        if fields.contains(where: { $0.refusesEmpty && $0.fieldClass == .personal }) { return .remove }
        let kept = fields.filter { $0.fieldClass != .personal }.flatMap(\.numbers)
        return .replace(reader.changed { kept.contains($0.id) ? .keep : .remove })
    }
}

extension EventLog {
    /// Whether an event has erased the same, or is about to, and nothing that was recorded since names one of its users or
    /// conversations; of events, whether one is about to.
    package func isErased(_ erasure: ValuesErased) throws -> Bool {
        let users = Set(try erasure.users.compactMap { try symbols.existingNumber(of: $0) })
        let conversations = Set(try erasure.conversations.compactMap { try symbols.existingNumber(of: $0) })
        let chats = try users.compactMap {
            try symbols.existingNumber(of: ConversationKey.single(symbols.user($0).rawValue))
        }
        func erasesSame(_ record: RecordView) -> Bool {
            var events = Set(erasure.events.map(\.rawValue))
            record.fields.forEachNumber(ValuesErased.events.number) { events.remove($0) }
            return events.isEmpty && users.isSubset(of: record.fields.firstPacked(ValuesErased.users.number) ?? [])
                && conversations.isSubset(of: record.fields.firstPacked(ValuesErased.conversations.number) ?? [])
                && (record[ValuesErased.alsoMessages] || !erasure.alsoMessages)
                && (record[ValuesErased.alsoIDs] == true || !erasure.alsoIDs)
        }
        let log = try snapshot()
        guard erasure.events.isEmpty else {
            return try owed().contains { owed in
                guard let event = owed.event, let record = try log.record(at: event) else { return false }
                return record.type == .valuesErased && erasesSame(record)
            }
        }
        var isErased = false
        try log.scanBackwards(from: lastPosition, downTo: Position(1)) { record in
            if record.type == .valuesErased, erasesSame(record) {
                isErased = true
                return .stop
            }
            // An edit does not name whose message it is about.
            var isNamed = erasure.alsoMessages && record.type.has(.holdsWords)
            record.forEachSymbolNumber { space, number in
                isNamed =
                    isNamed || space == .user && users.contains(number)
                    || space == .conversation && (conversations.contains(number) || chats.contains(number))
            }
            return isNamed ? .stop : .proceed
        }
        return isErased
    }
}

extension RecordView {
    /// The record's bytes with other fields and content.
    func bytes(fields: [UInt8], content: [UInt8], flags: RecordFlags) -> [UInt8] {
        var changed = ByteWriter()
        changed.append(bytes.extracting(0..<fieldsOffset))
        changed.append(fields)
        changed.append(content)
        changed.set(flags.rawValue, at: RecordLayout.flags)
        changed.set(UInt32(fields.count + clockLength), at: RecordLayout.fieldsLength)
        changed.set(UInt32(content.count), at: RecordLayout.contentLength)
        RecordEncoder.seal(from: 0, in: &changed)
        return changed.bytes.copied
    }
}
