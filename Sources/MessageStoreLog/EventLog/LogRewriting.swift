internal import MessageStoreLMDB

/// Other events in the place of some of a log's, without another log: what a replay of "what if" reads.
///
/// Each event is offered once, in the order of the log, and may be left, replaced by others, which share its position and
/// its time, or left out. What replaces one is kept in memory, and the log is not touched. Conversations, users and content
/// types that only replacements name get numbers that the log never gives.
package final class LogRewriting: Sendable {
    /// Answers with the events in the place of one; nil where it stays as it is.
    package typealias Rewrite = @Sendable (RecordView, RecordDecoder) throws -> [Event]?

    private struct State {
        /// The last position that was offered.
        var offered = Position.origin
        var replaced: [Position: [Replacement]] = [:]
    }

    /// The record of an event in the place of another; it lives as long as the rewriting.
    struct Replacement: Sendable {
        fileprivate let type: EventType
        fileprivate let prepared: PreparedAppend

        var bytes: UnsafeRawBufferPointer { prepared.batch.bytes(at: 0) }
    }

    /// The first number of a symbol that the log lacks; no log comes near to it.
    private static let firstNumber: UInt32 = 1 << 31
    /// Types of which views read an event again by its position: one such event can stand at a position.
    private static let readByPosition: Set<EventType> = [
        .messageReceived, .messageSendQueued, .messageInsertedLocally, .messageModified, .messageRecalled,
        .messageFiltered, .conversationDraftChanged, .attachmentStateChanged, .sessionStateChanged,
    ]

    /// The symbols of the log and of the replacements.
    let symbols: SymbolTable
    private let kind: Kind
    private let state = Locked(State())

    private enum Kind {
        case selecting(@Sendable (RecordView) -> Bool)
        case replacing(Rewrite, RecordDecoder, account: UserID)
    }

    /// - Parameters:
    ///   - account: The store's account, for the frozen flags of messages.
    ///   - rewrite: Called with each event, once.
    package init(of log: EventLog, account: UserID, _ rewrite: @escaping Rewrite) {
        symbols = SymbolTable(
            environment: log.environment, names: log.symbols.names, numbers: log.symbols.numbers,
            types: log.symbols.types, firstNumber: Self.firstNumber)
        kind = .replacing(rewrite, RecordDecoder(symbols: symbols), account: account)
    }

    /// Leaves out what `isSelected` answers false to. Costs no memory; all events are still found by their positions.
    package init(of log: EventLog, selecting isSelected: @escaping @Sendable (RecordView) -> Bool) {
        symbols = log.symbols
        kind = .selecting(isSelected)
    }

    /// What stands in the place of a record; nil where it stays as it is.
    func replacements(of record: RecordView) throws -> [Replacement]? {
        guard case .replacing(let rewrite, let decoder, let account) = kind else {
            if case .selecting(let isSelected) = kind, !isSelected(record) { return [] }
            return nil
        }
        let position = record.position
        let known = state.withLock { ($0.offered, $0.replaced[position]) }
        if position <= known.0 { return known.1 }
        precondition(position.rawValue == known.0.rawValue + 1, "an event is passed over")
        guard let events = try rewrite(record, decoder) else {
            state.withLock { $0.offered = position }
            return nil
        }
        guard events.count(where: { Self.readByPosition.contains($0.type) }) <= 1 else {
            throw StoreError(
                .invalidArgument,
                "events that share a position: one of them at most may be a message, a draft, a session's state or a change "
                    + "of a message, which are found by their positions", position: position)
        }
        let replacements: [Replacement]
        do {
            replacements = try events.map { try prepare($0, inPlaceOf: record, account) }
        } catch let error as StoreError where error.code == .invalidArgument {
            throw StoreError(.invalidArgument, error.message, position: position)
        }
        state.withLock { state in
            state.offered = position
            state.replaced[position] = replacements
        }
        return replacements
    }

    /// The record that is found by the position of another, which was offered; nil where there is none any more.
    @_lifetime(copy record)
    func found(_ record: RecordView) -> RecordView? {
        guard let replacements = state.withLock({ $0.replaced[record.position] }) else { return record }
        let found = replacements.first { Self.readByPosition.contains($0.type) } ?? replacements.first
        guard let bytes = found?.bytes else { return nil }
        return RecordView(_overrideLifetime(RawSpan(_unsafeBytes: bytes), copying: record))
    }

    private func prepare(
        _ event: Event, inPlaceOf record: RecordView, _ account: UserID
    ) throws -> Replacement {
        var writer = BatchWriter(
            account: account, symbols: symbols, firstPosition: record.position, recordedTime: record.recordedTime)
        try writer.append(event)
        // What was redacted stays so where only fields are others.
        if record.flags.contains(.isRedacted), record.type == event.type, let flags = writer.appended?.flags,
            writer.appended?.contentLength == 0
        {
            writer.rollBack()
            try writer.append(event, flags: flags.union(.isRedacted))
        }
        writer.keep()
        let prepared = PreparedAppend(writer)
        symbols.stage(prepared.symbols)
        return Replacement(type: event.type, prepared: prepared)
    }
}
