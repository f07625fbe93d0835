@_spi(Storage) public import MessageStoreLog

/// A content that a message has or had.
public struct MessageVersion: Sendable, Hashable, Identifiable {
    /// The content; empty if it was redacted.
    public let content: MessageContent
    /// Since when the message says so: its own time, or that of the edit, by the server's clock.
    public let time: Timestamp
    /// The event that recorded it: the message's own, a `MessageModified` or a `MessageSnapshotReceived`.
    public let position: Position
    /// How the store learned of that event.
    public let origin: Origin
    /// Whether the content was removed permanently.
    public let isRedacted: Bool

    /// The position of its event.
    public var id: Position { position }

    /// Creates a version, for previews and tests.
    public init(
        content: MessageContent, time: Timestamp, position: Position, origin: Origin = .live, isRedacted: Bool = false
    ) {
        self.content = content
        self.time = time
        self.position = position
        self.origin = origin
        self.isRedacted = isRedacted
    }
}

extension Views {
    /// The contents of a message: its original one, then those that replaced it, in the order of their times.
    ///
    /// The last version is what ``message(_:in:)`` shows. An edit that was recorded more than once, as by this device
    /// and by the server's echo, is there each time. There are no versions of messages that are not shown, were
    /// recalled, or have a filter's content in place of their sender's. Costs a seek, and a step and a record of the
    /// log for each version.
    ///
    /// - Parameters:
    ///   - message: Which message.
    ///   - conversation: Its conversation.
    ///   - last: The last version of the page before; nil for the first page.
    ///   - limit: The maximum number of versions, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func edits(
        of message: MessageReference, in conversation: ConversationKey, after last: MessageVersion? = nil,
        limit: Int = 20
    ) throws -> Page<MessageVersion, MessageVersion> {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation),
            let shown = try self.message(message, in: conversation), !shown.isRecalled, !shown.isReplaced
        else { return Page([]) }
        var versions: [MessageVersion] = []
        var start: EditPart?
        if let last {
            // The original of the page before is another one where the message took its echo's place meanwhile.
            let isOriginal = try snapshot.isMessage(LocalMessageID(last.position.rawValue), in: number)
            if !isOriginal {
                start = EditPart(time: UInt64(clamping: last.time.milliseconds), position: last.position)
            }
        } else {
            versions.append(try version(at: Position(shown.id.rawValue), shown.time))
        }
        let left = limit + 1 - versions.count
        for edit in try snapshot.edits(of: MessageName(shown), in: number, after: start, limit: left) {
            let time = Timestamp(milliseconds: Int64(clamping: edit.time))
            versions.append(try version(at: edit.position, time))
        }
        return Page(versions, limit: limit, next: { $0 })
    }

    private borrowing func version(at position: Position, _ time: Timestamp) throws -> MessageVersion {
        let record = try snapshot.record(at: position, namedBy: MessageDetails.edits.place)
        let decoder = RecordDecoder(symbols: snapshot.symbols, omitsContent: snapshot.isLentToProjection)
        return MessageVersion(
            content: try decoder.content(of: record), time: time, position: position, origin: record.origin,
            isRedacted: record.flags.contains(.isRedacted))
    }
}
