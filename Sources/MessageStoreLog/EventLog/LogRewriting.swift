internal import MessageStoreLMDB

/// Other events in the place of some of a log's, without another log: what a replay of "what if" reads.
///
/// An event may be left, left out, or replaced by others, which share its position and its time. Nothing is kept of
/// that but the names that only replacements have: conversations, users and content types get numbers that the log
/// never gives.
package final class LogRewriting: Sendable {
    /// Answers with the events in the place of one; nil where it stays as it is. The same each time it is asked.
    package typealias Rewrite = @Sendable (RecordView, RecordDecoder) throws -> [Event]?

    private enum Kind {
        case selecting(@Sendable (RecordView) -> Bool)
        case replacing(Rewrite, SymbolTable, account: UserID)
    }

    /// The record of an event in the place of another.
    struct Replacement: Sendable {
        /// Whether views read the event again by its position.
        fileprivate let isReadByPosition: Bool
        /// What holds the bytes.
        fileprivate let prepared: PreparedAppend

        /// The bytes, for as long as this lives.
        fileprivate var bytes: UnsafeRawBufferPointer { prepared.batch.bytes(at: 0) }

        /// Calls `body` with the record.
        func read<Result>(_ body: (RecordView) throws -> Result) rethrows -> Result? {
            try withExtendedLifetime(prepared) {
                guard let record = RecordView(RawSpan(_unsafeBytes: bytes)) else { return nil }
                return try body(record)
            }
        }
    }

    /// The first number of a symbol that the log lacks; no log comes near to it.
    private static let firstNumber: UInt32 = 1 << 31

    private let kind: Kind

    /// The symbols of the log and of the replacements; nil where there are none of these.
    var symbols: SymbolTable? {
        guard case .replacing(_, let symbols, _) = kind else { return nil }
        return symbols
    }

    /// Replaces events.
    ///
    /// - Parameter account: The store's account, for the frozen flags of messages.
    package init(of log: EventLog, account: UserID, _ rewrite: @escaping Rewrite) {
        kind = .replacing(rewrite, SymbolTable(over: log, firstNumber: Self.firstNumber), account: account)
    }

    /// Leaves out what `isSelected` answers false to; all events are still found by their positions.
    package init(selecting isSelected: @escaping @Sendable (RecordView) -> Bool) {
        kind = .selecting(isSelected)
    }

    /// The replacements of a record; nil if it stays as it is.
    func replacements(of record: RecordView) throws -> [Replacement]? {
        switch kind {
        case .selecting(let isSelected): return isSelected(record) ? nil : []
        case .replacing(let rewrite, let symbols, let account):
            guard let events = try rewrite(record, RecordDecoder(symbols: symbols)) else { return nil }
            return try replacements(events, of: record, account, symbols)
        }
    }

    /// The replacements at the position of a record, for reads by position; nil if it stays as it is.
    func standing(atPositionOf record: RecordView) throws -> [Replacement]? {
        guard case .replacing = kind else { return nil }
        return try replacements(of: record)
    }

    /// The replacement found by the position of a record; nil where it stays as it is.
    func found(_ record: RecordView) throws -> [Replacement]? {
        guard let replacements = try standing(atPositionOf: record) else { return nil }
        let found = replacements.first { $0.isReadByPosition } ?? replacements.first
        return found.map { [$0] } ?? []
    }

    private static func isReadByPosition(_ event: Event) -> Bool {
        event.type.has(.readByPosition) || event.awaitsServer
    }

    private func replacements(
        _ events: [Event], of record: RecordView, _ account: UserID, _ symbols: SymbolTable
    ) throws -> [Replacement] {
        guard events.count(where: Self.isReadByPosition) <= 1 else {
            throw StoreError(
                .invalidArgument,
                "events that share a position: one of them at most may be a message, a change of one, a draft, a folder, a "
                    + "session's state or one that awaits the server, which are found by their positions",
                position: record.position)
        }
        do {
            return try events.map { try replacement($0, of: record, account, symbols) }
        } catch let error as StoreError where error.code == .invalidArgument {
            throw StoreError(.invalidArgument, error.message, position: record.position)
        }
    }

    private func replacement(
        _ event: Event, of record: RecordView, _ account: UserID, _ symbols: SymbolTable
    ) throws -> Replacement {
        var writer = BatchWriter(
            account: account, symbols: symbols, firstPosition: record.position, recordedTime: record.recordedTime,
            capacity: 2 * record.bytes.byteCount)
        // If only fields differ, a redacted event stays redacted, and the rule by which the past counts stays too.
        var event = event
        if event.clockTime == nil, record.flags.contains(.hasClock) {
            (event.clockTime, event.correctedTime) = (record.clockTime, record.correctedTime)
        }
        try writer.append(event, inPlaceOf: record.type == event.type ? record.flags : [])
        writer.keep()
        let prepared = PreparedAppend(writer)
        symbols.stage(prepared.symbols)
        return Replacement(isReadByPosition: Self.isReadByPosition(event), prepared: prepared)
    }
}

/// The replacements that one snapshot has lent, for as long as it lives.
final class LentReplacements: Sendable {
    let rewriting: LogRewriting
    private let lent = Locked<[Position: LogRewriting.Replacement]>([:])

    init(_ rewriting: LogRewriting) { self.rewriting = rewriting }

    /// The bytes of the record that is found by the position of another; nil where there is none any more.
    func bytes(inPlaceOf record: RecordView) throws -> UnsafeRawBufferPointer? {
        let position = record.position
        if let known = lent.withLock({ $0[position] }) { return known.bytes }
        guard let found = try rewriting.found(record) else { return record.bytes.withUnsafeBytes { $0 } }
        guard let replacement = found.first else { return nil }
        return lent.withLock { lent in
            // Another thread may have lent its own meanwhile.
            let kept = lent[position] ?? replacement
            lent[position] = kept
            return kept.bytes
        }
    }
}
