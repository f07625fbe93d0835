internal import MessageStoreLMDB

/// Other events in the place of some of a log's, without another log: a replay of "what if" reads them.
///
/// An event may be left, left out, or replaced by others, which share its position and its time. Nothing is kept of
/// that but the names that only replacements have: conversations, users and content types get numbers that the log
/// never gives.
package final class LogRewriting: Sendable {
    /// Answers with the events in the place of one; nil if it stays as it is. The same each time it is asked.
    package typealias Rewrite = @Sendable (RecordView, RecordDecoder) throws -> [Event]?

    private enum Kind {
        case selecting(@Sendable (RecordView) -> Bool)
        case replacing(Rewrite, SymbolTable, account: UserID)
    }

    /// The record of an event in the place of another.
    struct Replacement: Sendable {
        /// Whether views read the event again by its position.
        fileprivate let isReadByPosition: Bool
        /// The append that holds the bytes.
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

    /// The symbols of the log and of the replacements; nil if there are none of these.
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

    /// The replacement found by the position of a record; nil if it stays as it is.
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

    /// The bytes of the record that is found by the position of another; nil if there is none any more.
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

extension EventLog {
    /// Removes the content of the record at `position` permanently; see ``redact(_:finishing:now:)``.
    package func redact(_ position: Position, now: Timestamp = .unknown) throws {
        try redact([position], now: now)
    }

    /// Removes the content of records permanently, of all or none; envelopes and fields stay (I11).
    ///
    /// Doing it again writes nothing. The bytes live on in pages of the log's file until it is compacted, which is noted
    /// as owed; the journal, which may hold them, is overwritten before they are gone from the log. Nothing may be
    /// appended meanwhile.
    ///
    /// - Parameter events: Events whose erasure the commit finishes, if it changes anything.
    /// - Throws: ``StoreError`` with code `notFound`, `recordDamaged`, or `invalidArgument` where events of the type
    ///   hold no words of a person.
    package func redact(
        _ positions: [Position], finishing events: [Position] = [], now time: Timestamp = .unknown
    ) throws {
        try rewrite(positions, finishing: events, now: time) { try redacted($0) }
    }

    /// Puts other bytes in the place of records, in one commit.
    ///
    /// - Parameters:
    ///   - events: Events whose erasure the commit finishes, if it changes anything.
    ///   - change: The bytes, and how many were erased; nil for a record that stays.
    private func rewrite(
        _ positions: [Position], finishing events: [Position] = [], now time: Timestamp,
        _ change: (RecordView) throws -> (bytes: [UInt8], erased: Int)?
    ) throws {
        var changed: [(position: Position, record: [UInt8])] = []
        var byteCount = 0
        do {
            let snapshot = try snapshot()
            for position in positions {
                guard let record = try snapshot.record(at: position) else {
                    if try snapshot.gap(at: position) != nil { continue }
                    throw StoreError(.notFound, "no event is recorded there", position: position)
                }
                guard let new = try change(record) else { continue }
                changed.append((position, new.bytes))
                byteCount += new.erased
            }
        }
        guard !changed.isEmpty else { return }
        try erasing(now: time, finishing: events) { tables, transaction in
            for (position, record) in changed {
                try transaction.put(record.span.bytes, for: position.rawValue, in: tables.records)
            }
            return byteCount
        } then: {
            compaction.withLock { $0? += changed.map(\.position) }
        }
    }

    /// Runs `body` in one commit, and notes how many bytes it answers that it erased, and that they are owed.
    ///
    /// - Parameter events: Events whose erasure is finished then, if it erased anything.
    func erasing(
        now time: Timestamp, finishing events: [Position] = [],
        _ body: (LogTables, borrowing WriteTransaction) throws -> Int,
        then note: () -> Void = {}
    ) throws {
        // Nobody else may write to the journal meanwhile.
        try journaling.withLock { _ throws in
            try checkOwner()
            try commit()
            // First, so that whenever this ends, no erased words are in the journal.
            try eraseJournal()
            let (finished, tables) = (Set(events), storage.tables)
            let owed = try tables.owedTable(create: true)
            try tables.environment.write { transaction in
                let count = try body(tables, transaction)
                guard count > 0, let owed else { return }
                try OwedErasure(byteCount: UInt64(count), since: time).add(to: owed, in: transaction)
                if !finished.isEmpty { try OwedErasure.remove(from: owed, in: transaction) { $0.isOf(finished) } }
            }
            note()
            try forceThroughCache()
        }
    }

    /// Removes what events erase from the log's records, in commits of a bounded size. A crash leaves the erasures
    /// unfinished: doing it again goes on.
    ///
    /// - Parameters:
    ///   - events: The positions of all events whose erasure is not finished.
    ///   - positions: Of the records that lose their content, which must have some or have had it.
    ///   - finishing: Whether the commit that removes the last content notes that the erasures are finished, where they erase
    ///     nothing else; else ``noteErased(by:)`` does.
    /// - Returns: Whether some of the events erase values that views have rows of.
    /// - Throws: As ``redact(_:finishing:now:)``.
    package func erase(
        by events: [Position], blanking positions: [Position], finishing: Bool = true, now: Timestamp
    ) throws -> Bool {
        var subjects = ErasedSubjects()
        var changed: [Position] = []
        do {
            let snapshot = try snapshot()
            for event in events {
                if let record = try snapshot.record(at: event) { try subjects.add(record, symbols) }
            }
        }
        try positions.forEachChunk { chunk in
            // A note of its own would be a commit more.
            let isAll = finishing && subjects.isEmpty && chunk.last == positions.last
            try redact(chunk, finishing: isAll ? events : [], now: now)
        }
        guard !subjects.isEmpty, let last = events.max() else { return false }
        let values = try ErasedValues(subjects, in: self)
        do {
            let snapshot = try snapshot()
            try snapshot.scan(from: Position(1), to: last) { record in
                if values.bytes(of: record) != nil { changed.append(record.position) }
                return .proceed
            }
        }
        try changed.forEachChunk { try rewrite($0, now: now) { values.bytes(of: $0) } }
        try eraseIDs(of: subjects, now: now)
        return true
    }

    /// Notes that the erasures of events are finished.
    package func noteErased(by events: [Position]) throws {
        let finished = Set(events)
        try removeOwed(in: storage.tables) { $0.isOf(finished) }
    }

    /// The record without its content; nil if it has none any more.
    private func redacted(_ record: RecordView) throws -> (bytes: [UInt8], erased: Int)? {
        guard symbols.types.hasContent(record) else {
            let name = symbols.types.name(of: record.type)
            throw StoreError(.invalidArgument, "\(name) has no content to redact", position: record.position)
        }
        guard !record.flags.contains(.isRedacted) else { return nil }
        return (record.redactedBytes, record.content.byteCount)
    }
}

extension [Position] {
    /// How many records are changed in one commit, where an erasure takes several.
    private static let chunk = 4096

    fileprivate func forEachChunk(_ body: ([Position]) throws -> Void) rethrows {
        for start in stride(from: 0, to: count, by: Self.chunk) {
            try body(Array(self[start..<Swift.min(start + Self.chunk, count)]))
        }
    }
}

extension RecordView {
    /// The record's bytes as redaction leaves them.
    package var redactedBytes: [UInt8] {
        bytes(fields: fieldBytes.copied, content: [], flags: flags.union(.isRedacted))
    }
}
