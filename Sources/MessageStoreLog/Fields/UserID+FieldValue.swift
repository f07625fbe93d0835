extension UserID: FieldValue, ListElement {
    /// A number of the log's symbols.
    public static var fieldType: FieldType { FieldType(.user) }
    /// A user is never left out.
    public static var _isRequired: Bool { true }
    /// Writes the user's number.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        writer.field(number, UInt64(try writer.symbol(self)))
    }
    /// Reads the user of a number.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> UserID? {
        guard let found = source.first(number)?.number else { return nil }
        return try source.symbols.user(UInt32(truncatingIfNeeded: found))
    }
    /// Writes one field of packed numbers, also for nobody.
    public static func _write(_ list: [UserID], _ number: UInt32, to writer: inout FieldWriter) throws {
        try writer.packed(number, list) { user, writer in try writer.symbol(user) }
    }
    /// Reads the users of a packed field.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [UserID]? {
        try source.first(number)?.packed.map { try source.symbols.user($0) }
    }
}

extension ConversationKey: FieldValue, ListElement {
    /// A number of the log's symbols.
    public static var fieldType: FieldType { FieldType(.conversation) }
    /// A key that cannot be recorded.
    public static var _placeholder: ConversationKey { .group("") }
    /// A conversation is never left out.
    public static var _isRequired: Bool { true }
    /// Writes the conversation's number.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        writer.field(number, UInt64(try writer.symbol(self)))
    }
    /// Reads the conversation of a number.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> ConversationKey? {
        guard let found = source.first(number)?.number else { return nil }
        return try source.symbols.conversation(UInt32(truncatingIfNeeded: found))
    }
    /// Writes one field of packed numbers, also for none.
    public static func _write(_ list: [ConversationKey], _ number: UInt32, to writer: inout FieldWriter) throws {
        try writer.packed(number, list) { key, writer in try writer.symbol(key) }
    }
    /// Reads the conversations of a packed field.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [ConversationKey]? {
        try source.first(number)?.packed.map { try source.symbols.conversation($0) }
    }
    /// Whether id or channel are empty or too long.
    public func _problem(_ rule: FieldRule) -> String? {
        if let problem = id.problem(longest: EventLimits.identifierBytes) { return "has an id that \(problem)" }
        return channel?.problem(longest: EventLimits.channelBytes).map { "has a channel that \($0)" }
    }
}
