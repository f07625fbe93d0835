extension UserID: FieldValue, ListElement {
    /// A number of the log's symbols; in hosts' events and in content the id itself.
    public static var fieldType: FieldType { FieldType(.user) }
    /// A user is never left out.
    public static var _isRequired: Bool { true }
    /// Writes the user's number, or the id.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        guard writer.usesSymbols else { return writer.field(number, rawValue) }
        writer.field(number, UInt64(try writer.symbol(self)))
    }
    /// Reads the user of a number, or an id.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> UserID? {
        guard let found = source.first(number) else { return nil }
        guard let symbols = source.symbols else { return UserID(found.string) }
        return try symbols.user(UInt32(truncatingIfNeeded: found.number))
    }
    /// Writes one field of packed numbers, also for nobody, or one for each id.
    public static func _write(_ list: [UserID], _ number: UInt32, to writer: inout FieldWriter) throws {
        guard writer.usesSymbols else {
            for user in list { writer.field(number, user.rawValue) }
            return
        }
        try writer.packed(number, list) { user, writer in try writer.symbol(user) }
    }
    /// Reads the users of a packed field, or all ids.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [UserID]? {
        guard let symbols = source.symbols else { return source.reader.strings(number).map(UserID.init) }
        return try source.first(number)?.packed.map { try symbols.user($0) }
    }
}

extension ConversationKey: FieldValue, ListElement {
    /// A number of the log's symbols; in hosts' events and in content kind, id and channel.
    public static var fieldType: FieldType { FieldType(.conversation) }
    /// A key that cannot be recorded.
    public static var _placeholder: ConversationKey { .group("") }
    /// A conversation is never left out.
    public static var _isRequired: Bool { true }
    /// Writes the conversation's number, or its parts.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        guard writer.usesSymbols else { return writer.field(number, symbolBytes) }
        writer.field(number, UInt64(try writer.symbol(self)))
    }
    /// Reads the conversation of a number, or its parts.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> ConversationKey? {
        guard let found = source.first(number) else { return nil }
        guard let symbols = source.symbols else { return try inFull(found.bytes.copied) }
        return try symbols.conversation(UInt32(truncatingIfNeeded: found.number))
    }
    /// Writes one field of packed numbers, also for none, or one for each conversation.
    public static func _write(_ list: [ConversationKey], _ number: UInt32, to writer: inout FieldWriter) throws {
        guard writer.usesSymbols else {
            for key in list { writer.field(number, key.symbolBytes) }
            return
        }
        try writer.packed(number, list) { key, writer in try writer.symbol(key) }
    }
    /// Reads the conversations of a packed field, or of all fields.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [ConversationKey]? {
        if let symbols = source.symbols { return try source.first(number)?.packed.map { try symbols.conversation($0) } }
        var keys: [ConversationKey] = []
        var reader = source.reader
        while let field = reader.next() {
            if field.id == number { keys.append(try inFull(field.bytes.copied)) }
        }
        return keys
    }
    private static func inFull(_ bytes: [UInt8]) throws -> ConversationKey {
        guard let key = ConversationKey(symbolBytes: bytes) else { throw FieldError.unreadable }
        return key
    }
    /// Whether id or channel are empty or too long.
    public func _problem(_ rule: FieldRule) -> String? {
        if let problem = id.problem(longest: EventLimits.identifierBytes) { return "has an id that \(problem)" }
        return channel?.problem(longest: EventLimits.channelBytes).map { "has a channel that \($0)" }
    }
}
