/// Fields of a known event that this version does not know, byte for byte.
///
/// A newer version wrote them; they are recorded again with the event.
public struct UnknownFields: Hashable, Sendable {
    /// Unknown fields among the fields.
    public var fields: [UInt8]
    /// Unknown fields in the content.
    public var content: [UInt8]

    /// Creates the value; by default there are none.
    public init(fields: [UInt8] = [], content: [UInt8] = []) {
        self.fields = fields
        self.content = content
    }

    /// Whether there are none.
    public var isEmpty: Bool { fields.isEmpty && content.isEmpty }
}

/// An event of a type that is neither built in nor registered, kept byte for byte.
public struct UnknownEvent: EventPayload {
    /// The type's number.
    public var type: EventType
    /// The version of the type's payload.
    public var schemaVersion: UInt8
    /// The fields, byte for byte.
    public var fields: [UInt8]
    /// The content, byte for byte.
    public var content: [UInt8]

    /// Who acted, if the envelope names somebody.
    public var actor: UserID?
    /// The type of the content, where the envelope says.
    public var contentType: ContentType?
    /// The server's id in the envelope, if any.
    public var serverID: ServerMessageID?
    /// The sender's token in the envelope, if any.
    public var clientToken: ClientToken?

    /// Creates one, for instance to carry an event of a newer version over.
    public init(
        type: EventType, schemaVersion: UInt8 = 1, fields: [UInt8] = [], content: [UInt8] = [], actor: UserID? = nil,
        contentType: ContentType? = nil, serverID: ServerMessageID? = nil, clientToken: ClientToken? = nil
    ) {
        self.type = type
        self.schemaVersion = schemaVersion
        self.fields = fields
        self.content = content
        self.actor = actor
        self.contentType = contentType
        self.serverID = serverID
        self.clientToken = clientToken
    }
}

extension UnknownEvent: BuiltInPayload {
    /// No type is declared: each value has its own.
    package static let declared = EventDeclaration(EventType(rawValue: 0), "UnknownEvent", scope: .any)

    private enum Fields {
        static let type = Field<UInt16>(3, "type")
        static let schemaVersion = Field<UInt8>(4, "schemaVersion")
        static let fields = Field<[UInt8]>(5, "fields")
        static let content = ContentField<[UInt8]>(1, "content")
        static let actor = Field<UserID?>(6, "actor")
        static let contentType = Field<ContentType?>(7, "contentType")
        static let serverID = Field<ServerMessageID?>(8, "serverID")
        static let clientToken = Field<ClientToken?>(9, "clientToken")
    }

    package init(reading fields: inout some FieldDecoder) throws {
        self.init(
            type: EventType(rawValue: try fields.decode(Fields.type)),
            schemaVersion: try fields.decode(Fields.schemaVersion),
            fields: try fields.decode(Fields.fields),
            content: try fields.decode(Fields.content),
            actor: try fields.decode(Fields.actor),
            contentType: try fields.decode(Fields.contentType),
            serverID: try fields.decode(Fields.serverID),
            clientToken: try fields.decode(Fields.clientToken))
    }

    /// Writes what is shown and what JSON holds; records have the bytes alone.
    package func write(to fields: inout some FieldEncoder) throws {
        try fields.encode(type.rawValue, for: Fields.type)
        try fields.encode(schemaVersion, for: Fields.schemaVersion)
        try fields.encode(self.fields, for: Fields.fields)
        try fields.encode(content, for: Fields.content)
        try fields.encode(actor, for: Fields.actor)
        try fields.encode(contentType, for: Fields.contentType)
        try fields.encode(serverID, for: Fields.serverID)
        try fields.encode(clientToken, for: Fields.clientToken)
    }

    /// Writes the bytes as they are.
    func writeBytes(to writer: inout RecordFieldWriter) {
        writer.envelope.actor = actor
        writer.envelope.contentType = contentType
        writer.envelope.serverID = serverID
        writer.envelope.clientToken = clientToken
        fields.withUnsafeBytes { writer.fields.append($0) }
        content.withUnsafeBytes { writer.content.append($0) }
    }

    /// Refuses built-in types, fields that cannot be read to their end, and ids that break their rules.
    package func check() throws {
        guard schemaVersion > type.declaration?.version ?? 0 || !type.isKnown else {
            throw invalid("is of a type that has a payload of its own")
        }
        guard !FieldReader(fields.span.bytes).isBroken else { throw invalid("has fields that cannot be read") }
        let problems = [
            actor?._problem(.any), contentType?._problem(.any), serverID?._problem(.any), clientToken?._problem(.any),
        ]
        if let problem = problems.lazy.compactMap(\.self).first {
            throw invalid("has an id in its envelope that \(problem)")
        }
    }

    func holdsField(_ number: UInt32) -> Bool {
        FieldReader(fields.span.bytes).first(number) != nil
    }
}
