extension CodingUserInfoKey {
    /// Set to true, an encoder leaves out content: user-written text, which redaction would remove.
    public static let omitsEventContent = CodingUserInfoKey("MessageStore.omitsEventContent")
    /// The ``EventTypes`` that a decoder knows, to read hosts' events; without them it knows the built-in types.
    public static let eventTypes = CodingUserInfoKey("MessageStore.eventTypes")
}

extension Decoder {
    package var eventTypes: EventTypes { userInfo[.eventTypes] as? EventTypes ?? .builtIn }
}

extension CodingUserInfoKey {
    // The initialiser answers an optional, but refuses no name.
    private init(_ name: StaticString) {
        guard let key = CodingUserInfoKey(rawValue: name.description) else { preconditionFailure("a name is refused") }
        self = key
    }
}

/// The keys of an event in JSON.
private enum EventKey: String, CodingKey {
    case type, version, conversation, id, origin, serverTime, device, clockTime, correctedTime, awaitsServer, payload,
        unknownFields,
        unknownContent
}

extension Event: Codable {
    /// Reads what ``encode(to:)`` wrote.
    ///
    /// A host's event is read with its typed payload where `userInfo[.eventTypes]` has the type; one that was written
    /// as an unknown event otherwise stays one.
    ///
    /// - Throws: `DecodingError` where a key is missing, a value does not fit, or a type is not known by its name;
    ///   ``StoreError`` where the bytes of an unknown event of a registered type cannot be read. The event's rules are
    ///   checked when it is recorded.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: EventKey.self)
        let type = try container.decode(EventType.self, forKey: .type)
        let version = try container.decodeIfPresent(UInt8.self, forKey: .version) ?? 1
        let types = decoder.eventTypes
        let isNumbered = (try? container.decode(UInt16.self, forKey: .type)) != nil
        if type.isHosts, !isNumbered, let known = types[type]?.declaration.version, version > known {
            throw DecodingError.dataCorruptedError(
                forKey: .version, in: container,
                debugDescription: "\(types.name(of: type)) is of version \(version); this host reads up to \(known)")
        }
        var payloadType: any EventPayload.Type = UnknownEvent.self
        // Hosts' events are written under their names only where they were known.
        if let entry = types[type], version <= entry.declaration.version,
            !type.isHosts || !isNumbered
        {
            payloadType = entry.payload
        }
        self.init(
            any:
                try payloadType.decoded(
                    from: container.nestedContainer(keyedBy: FieldName.self, forKey: .payload), version: version),
            in: try container.decodeIfPresent(ConversationKey.self, forKey: .conversation),
            id: try container.decodeIfPresent(EventID.self, forKey: .id),
            origin: try container.decodeIfPresent(Origin.self, forKey: .origin) ?? .local,
            serverTime: try container.decodeIfPresent(Timestamp.self, forKey: .serverTime),
            device: try container.decodeIfPresent(DeviceID.self, forKey: .device))
        clockTime = try container.decodeIfPresent(Timestamp.self, forKey: .clockTime)
        correctedTime = try container.decodeIfPresent(Timestamp.self, forKey: .correctedTime)
        awaitsServer = try container.decodeIfPresent(Bool.self, forKey: .awaitsServer) ?? false
        unknownFields = UnknownFields(
            fields: try container.decodeIfPresent(Base64.self, forKey: .unknownFields)?.bytes ?? [],
            content: try container.decodeIfPresent(Base64.self, forKey: .unknownContent)?.bytes ?? [])
        if type.isHosts { self = try types.typed(self) }
    }

    /// Writes the event under stable keys, from which the same event can be read again.
    ///
    /// The payload's keys are the names of its declared fields; bytes are base64, times milliseconds since 1970.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: EventKey.self)
        if type.isHosts, !(payload is UnknownEvent) {
            try container.encode(payload.typeName, forKey: .type)
        } else {
            try container.encode(type, forKey: .type)
        }
        if payload.schemaVersion != 1 { try container.encode(payload.schemaVersion, forKey: .version) }
        try container.encodeIfPresent(conversation, forKey: .conversation)
        try container.encodeIfPresent(id, forKey: .id)
        try container.encode(origin, forKey: .origin)
        try container.encodeIfPresent(serverTime, forKey: .serverTime)
        try container.encodeIfPresent(device, forKey: .device)
        try container.encodeIfPresent(clockTime, forKey: .clockTime)
        try container.encodeIfPresent(correctedTime, forKey: .correctedTime)
        if awaitsServer { try container.encode(true, forKey: .awaitsServer) }
        let omitsContent = encoder.userInfo[.omitsEventContent] as? Bool == true
        try payload.encodeFields(
            to: container.nestedContainer(keyedBy: FieldName.self, forKey: .payload), omitsContent: omitsContent)
        if !unknownFields.fields.isEmpty {
            try container.encode(Base64(unknownFields.fields), forKey: .unknownFields)
        }
        if !unknownFields.content.isEmpty, !omitsContent {
            try container.encode(Base64(unknownFields.content), forKey: .unknownContent)
        }
    }
}

extension EventType: Codable {
    /// Reads a name, built-in or of `userInfo[.eventTypes]`, or a number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(UInt16.self) {
            self.init(rawValue: number)
            return
        }
        let name = try container.decode(String.self)
        guard let type = decoder.eventTypes.type(named: name) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "there is no event type \(name); hosts' are those of userInfo[.eventTypes]")
        }
        self = type
    }

    /// Writes the name of a built-in type, or the number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let name = declaration?.name {
            try container.encode(name.description)
        } else {
            try container.encode(rawValue)
        }
    }
}

extension EventPayload {
    fileprivate func encodeFields(
        to container: KeyedEncodingContainer<FieldName>, omitsContent: Bool
    ) throws {
        var encoder = PayloadJSONEncoder(container: container, omitsContent: omitsContent)
        try encode(to: &encoder)
    }

    fileprivate static func decoded(
        from container: KeyedDecodingContainer<FieldName>, version: UInt8
    ) throws -> any EventPayload {
        var decoder = PayloadJSONDecoder(container: container)
        return Self.self == UnknownEvent.self
            ? try Self(from: &decoder) : try read(&decoder, version: version)
    }
}
