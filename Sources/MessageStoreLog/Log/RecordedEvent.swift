/// An event as it is in the log.
public struct RecordedEvent: Sendable, Hashable {
    /// The event's position in the log.
    public let position: Position
    /// When it was recorded, by this device's clock, or the latest time of an earlier event where the clock showed
    /// less: never decreases along the log.
    public let recordedTime: Timestamp
    /// The reading of this device's clock at the recording; after a wrong time less than ``recordedTime``.
    public var clockTime: Timestamp { source.clock.time ?? recordedTime }
    /// The time that bounds the times which the event names.
    package var correctedTime: Timestamp { source.clock.corrected ?? recordedTime }
    /// The first position of the commit that it came with.
    public let commit: Position
    /// The event; a plain message is decoded when this is first asked for.
    public var event: Event { source.event }
    /// The event, or the record that it is made of.
    package let source: EventSource
    /// The flags of its record, as they were decided when it was recorded.
    package let flags: UInt16
    /// The bytes that the record takes; in the current version if the event was read from an earlier one.
    public let byteCount: Int
    /// Whether the event is another than the one that was recorded, so that its record has another size.
    package let isRewritten: Bool
    /// Whether the flags belong to the event that was at this position before.
    package let isEdited: Bool

    /// Whether its content was removed permanently.
    public var isRedacted: Bool { RecordFlags(rawValue: flags).contains(.isRedacted) }

    private init(
        _ source: EventSource, at position: Position, recordedTime: Timestamp, commit: Position, flags: UInt16,
        byteCount: Int, isRewritten: Bool = false, isEdited: Bool = false
    ) {
        (self.source, self.position, self.recordedTime, self.commit) = (source, position, recordedTime, commit)
        (self.flags, self.byteCount) = (flags, byteCount)
        (self.isRewritten, self.isEdited) = (isRewritten, isEdited)
    }

    /// Whether everything about both is equal.
    public static func == (first: RecordedEvent, second: RecordedEvent) -> Bool {
        first.position == second.position && first.recordedTime == second.recordedTime
            && first.commit == second.commit && first.flags == second.flags && first.byteCount == second.byteCount
            && first.isRewritten == second.isRewritten && first.isEdited == second.isEdited
            && first.event == second.event
    }

    /// Feeds the position, and the event.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(position)
        hasher.combine(event)
    }
}

extension RecordedEvent {
    /// Creates a recorded event, to test what handles such; a commit of its own.
    ///
    /// It lacks what the log decides when it records, so it is not for `MessageStore.appendRecorded(_:)`.
    public init(_ event: Event, at position: Position, recordedTime: Timestamp) {
        self.init(
            EventSource(event), at: position, recordedTime: recordedTime, commit: position, flags: 0, byteCount: 0)
    }

    /// An event with other fields, or of another type, in the place of this one; its flags follow from it when it is
    /// restored.
    package func edited(_ event: Event) -> RecordedEvent { replacing(event, isEdited: true) }

    /// The same event at another position, of a commit that begins at another one, for a log of its own.
    package func moved(to position: Position, commit: Position) -> RecordedEvent {
        RecordedEvent(
            source, at: position, recordedTime: recordedTime, commit: commit, flags: flags, byteCount: byteCount,
            isRewritten: isRewritten, isEdited: isEdited)
    }

    /// Another event in the place of this one, for a log of its own.
    ///
    /// - Parameter isEdited: Whether its flags follow from it, as of ``edited(_:)``.
    package func replacing(
        _ event: Event, recordedTime time: Timestamp? = nil, isEdited: Bool = false
    ) -> RecordedEvent {
        var flags = RecordFlags(rawValue: flags)
        if event.awaitsServer { flags.insert(.awaitsServer) } else { flags.remove(.awaitsServer) }
        if isEdited, event.type != source.type { flags = [] }
        return RecordedEvent(
            EventSource(event), at: position, recordedTime: time ?? recordedTime, commit: commit,
            flags: flags.rawValue, byteCount: byteCount, isRewritten: true, isEdited: isEdited)
    }

    package init(_ record: RecordView, _ decoder: borrowing RecordDecoder) throws {
        let source = try decoder.source(of: record)
        let stored = record.bytes.byteCount
        self.init(
            source, at: record.position, recordedTime: record.recordedTime,
            commit: Position(record.position.rawValue &- UInt64(record.commitIndex)), flags: record.flags.rawValue,
            byteCount: record.type.isHosts
                ? try decoder.types.byteCount(of: source.event, stored: stored, version: record.schemaVersion) : stored)
    }
}

extension RecordedEvent: Codable {
    private enum Key: String, CodingKey { case position, recordedTime, commit, flags, isRedacted, byteCount, version }

    /// Reads what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let event = try Event(from: decoder)
        self.init(
            EventSource(event), at: try container.decode(Position.self, forKey: .position),
            recordedTime: try container.decode(Timestamp.self, forKey: .recordedTime),
            commit: try container.decode(Position.self, forKey: .commit),
            flags: try container.decode(UInt16.self, forKey: .flags),
            byteCount: try decoder.eventTypes.byteCount(
                of: event, stored: try container.decode(Int.self, forKey: .byteCount),
                version: try container.decodeIfPresent(UInt8.self, forKey: .version) ?? 1))
    }

    /// Writes the keys of the event, and next to them the keys of its record.
    public func encode(to encoder: any Encoder) throws {
        try event.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(position, forKey: .position)
        try container.encode(recordedTime, forKey: .recordedTime)
        try container.encode(commit, forKey: .commit)
        try container.encode(flags, forKey: .flags)
        if isRedacted { try container.encode(true, forKey: .isRedacted) }
        try container.encode(byteCount, forKey: .byteCount)
    }
}
