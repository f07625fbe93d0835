extension MessageReference: FieldValue, ListElement {
    /// Where payloads keep the messages that they are about.
    static let fieldNumber: UInt32 = 3

    /// A local or server id.
    public static var fieldType: FieldType { FieldType(.message) }
    /// A message that is none.
    public static var _placeholder: MessageReference { .local(LocalMessageID(0)) }
    /// A message is never left out.
    public static var _isRequired: Bool { true }
    /// Writes a local id under the number, a server id under the next.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        switch self {
        case .local(let id): writer.field(number, id.rawValue)
        case .server(let id): writer.field(number &+ 1, id.rawValue)
        }
    }
    /// Reads the first message.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> MessageReference? {
        try _readList(number, from: source)?.first
    }
    /// Reads local and server ids in their order.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [MessageReference]? {
        var references: [MessageReference] = []
        source.reader.forEachReference(number) { reference in
            switch reference {
            case .local(let id): references.append(.local(id))
            case .server(let bytes): references.append(.server(ServerMessageID(bytes.string)))
            }
        }
        return references
    }
    /// Whether a server id is empty or too long.
    public func _problem(_ rule: FieldRule) -> String? {
        guard case .server(let id) = self else { return nil }
        return id._problem(.any).map { "names a server id that \($0)" }
    }
}

extension MessageOrder: FieldValue {
    /// A time and a server id.
    public static var fieldType: FieldType { FieldType(.order) }
    /// The end of the time that is not known.
    public static var _placeholder: MessageOrder { MessageOrder(time: .unknown) }
    /// Writes the time under the number and the server id under the next.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        try time._write(number, to: &writer)
        try id._write(number &+ 1, to: &writer)
    }
    /// Reads time and server id.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> MessageOrder? {
        guard let time = try Timestamp._read(number, from: source) else { return nil }
        return MessageOrder(time: time, id: try ServerMessageID._read(number &+ 1, from: source))
    }
    /// As its parts.
    public func _problem(_ rule: FieldRule) -> String? {
        time._problem(rule).map { "has a time that \($0)" } ?? id?._problem(rule).map { "has a server id that \($0)" }
    }
}
