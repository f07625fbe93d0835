/// The fields of one line, read with errors that name the field and nothing else.
struct ChatLogFields {
    /// The JSON keys that the reader knows; others are ignored.
    enum Key: String, CodingKey {
        case conv
        case kind
        case id
        case from
        case ts
        case type
        case text
        case to
        case n
        case name
        case user
        /// The first of an exported log's header.
        case format
    }

    /// The line's object.
    let container: KeyedDecodingContainer<Key>

    /// Whether the field is there, be it `null`.
    func contains(_ key: Key) -> Bool {
        container.contains(key)
    }

    /// The record that the fields describe.
    func record(type: ChatLogRecord.RecordType) throws(ChatLogLineFault) -> ChatLogRecord {
        ChatLogRecord(
            conversation: try requiredString(.conv),
            kind: try kind(),
            id: try string(.id),
            sender: try string(.from),
            timeMs: try naturalNumber(.ts),
            type: type,
            text: try string(.text),
            target: try string(.to),
            ordinal: try naturalNumber(.n)
        )
    }

    /// The kind of the conversation.
    func kind() throws(ChatLogLineFault) -> ChatLogRecord.Kind {
        guard let kind = ChatLogRecord.Kind(rawValue: try requiredString(.kind)) else {
            throw ChatLogLineFault(.unknownFieldValue, Key.kind.rawValue)
        }
        return kind
    }

    /// The name of a conversation or a person; the field must be there but may be `null`.
    func name() throws(ChatLogLineFault) -> String? {
        guard contains(.name) else { throw ChatLogLineFault(.missingField, Key.name.rawValue) }
        return try string(.name)
    }

    /// A string that must be there and not be `null`.
    func requiredString(_ key: Key) throws(ChatLogLineFault) -> String {
        if let value = try string(key) { return value }
        throw ChatLogLineFault(contains(key) ? .wrongFieldType : .missingField, key.rawValue)
    }

    /// A string, or `nil` if the field is `null` or absent.
    func string(_ key: Key) throws(ChatLogLineFault) -> String? {
        do {
            return try container.decodeIfPresent(String.self, forKey: key)
        } catch DecodingError.typeMismatch {
            throw ChatLogLineFault(.wrongFieldType, key.rawValue)
        } catch {
            // A string after all, but with an escape that stands for no character.
            throw ChatLogLineFault(.invalidJSON, key.rawValue)
        }
    }

    /// An integer from 0 to the greatest `Int64`, or `nil` if the field is `null` or absent.
    func naturalNumber(_ key: Key) throws(ChatLogLineFault) -> Int64? {
        do {
            guard let value = try container.decodeIfPresent(Int64.self, forKey: key) else { return nil }
            if value >= 0 { return value }
        } catch {}
        throw ChatLogLineFault(.wrongFieldType, key.rawValue)
    }
}
