internal import Foundation
internal import MessageStoreMatrix
@_spi(Storage) internal import MessageStoreLog

/// An event with other values of fields, which are written as the log command shows them.
struct EventEdit {
    /// The event with the values that were set.
    private(set) var event: Event
    private let position: Position
    private let store: MessageStore

    /// - Throws: ``ToolError`` if the store has no such event.
    init(_ position: Position, in store: MessageStore) throws {
        guard position > .origin, let recorded = try store.event(at: position) else {
            throw ToolError.usage("--edit \(position): the log ends at \(try store.lastPosition())")
        }
        (event, self.position, self.store) = (recorded.event, position, store)
    }

    /// Sets a field, by `FIELD=VALUE`.
    ///
    /// - Throws: ``ToolError`` if the event has no such field, or the value does not fit.
    mutating func set(_ assignment: String) throws {
        let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 2 else { throw ToolError.usage("--edit \(position) \(assignment): write FIELD=VALUE") }
        let (name, text) = (parts[0], parts[1])
        var members = try Self.json(event).object ?? [:]
        var payload = members["payload"]?.object ?? [:]
        let isOpaque = event.payload is UnknownEvent
        let fields = isOpaque ? [] : Swift.type(of: event.payload).fieldDescriptions
        let field = fields.first { $0.name == name }
        guard let type = field?.type ?? Self.envelope[name] else {
            let names = fields.map(\.name) + Self.envelope.keys.ordered()
            guard !isOpaque else {
                let type = try HostEvents(store.eventDescriptions()).name(of: event.type) ?? event.type.description
                throw ToolError.usage(
                    "--edit \(position): this tool has the fields of \(type) as bytes, and can set only "
                        + "\(names.joined(separator: ", ")); one that is built with the host's types can set all")
            }
            throw ToolError.usage(
                "--edit \(position): \(event.payload.typeName) has no field \(name) that can be set; it has "
                    + names.joined(separator: ", "))
        }
        let isAbsent = text == "none" && type.isOptional
        let value = isAbsent ? nil : try value(text, type)
        guard isAbsent || value != nil else { throw unfit(name, type) }
        if field != nil { payload[name] = value } else { members[name] = value }
        // The server's time is one, whichever of its names it is set by.
        if name == "serverTime" || field?.place == .serverTime {
            for field in fields where field.place == .serverTime { payload[field.name] = value }
            members["serverTime"] = value
        }
        members["payload"] = .object(payload)
        let decoder = JSONDecoder()
        decoder.userInfo[.eventTypes] = store.eventTypes
        do {
            event = try decoder.decode(Event.self, from: JSONEncoder().encode(JSONValue.object(members)))
        } catch {
            // The decoder's words could hold words of people.
            throw unfit(name, type)
        }
    }

    private func unfit(_ name: String, _ type: FieldType) -> ToolError {
        .usage("--edit \(position): the value does not fit \(name), which is of the type \(type)")
    }

    /// The keys that can be set in addition to the payload.
    private static let envelope: [String: FieldType] = [
        "conversation": FieldType(.conversation, isOptional: true), "device": FieldType(.string, isOptional: true),
        "id": FieldType(.string, isOptional: true), "origin": FieldType(.string),
        "serverTime": FieldType(.time, isOptional: true),
    ]

    private static func json(_ value: some Encodable) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
    }

    /// A value in the form of JSON; nil if the text is none of the type. Conversations and users may be named as in
    /// arguments.
    private func value(_ text: String, _ type: FieldType) throws -> JSONValue? {
        if type.isList, ![.bytes, .pairs, .group].contains(type.kind) {
            let element = FieldType(type.kind)
            let values = try text.split(separator: ",").map { try value(String($0), element) }
            return values.contains(nil) ? nil : .array(values.compactMap { $0 })
        }
        switch type.kind {
        case .bool: return Bool(text).map { .bool($0) } ?? ["yes": .bool(true), "no": .bool(false)][text]
        // Enumerations have names.
        case .number, .signedNumber: return Int64(text).map { .integer($0) } ?? .string(text)
        case .time: return Self.time(text).map { .integer($0.milliseconds) }
        case .string: return .string(text)
        case .user:
            let named = try store.read { try $0.isKnown(UserID(text)) ? nil : $0.user(named: text) }
            return .string(named?.rawValue ?? text)
        case .conversation:
            return try (ConversationKey(text) ?? knownConversation(text, in: store)).map(Self.json)
        case .message:
            let references = MessageArgument(text).references
            return references.count == 1 ? try Self.json(references[0]) : nil
        case .order:
            let parts = text.split(separator: " ", maxSplits: 1)
            guard let time = parts.first.flatMap({ Self.time(String($0)) }) else { return nil }
            let id = parts.count > 1 ? ServerMessageID(String(parts[1])) : nil
            return try Self.json(MessageOrder(time: time, id: id))
        case .bytes, .pairs, .group:
            return (try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))) ?? .string(text)
        }
    }

    private static func time(_ text: String) -> Timestamp? {
        text == "unknown" ? .unknown : Timestamp(iso8601: text) ?? Int64(text).map { Timestamp(milliseconds: $0) }
    }
}
