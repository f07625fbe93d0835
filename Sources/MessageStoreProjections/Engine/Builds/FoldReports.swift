@_spi(Storage) public import MessageStoreLog

/// The reason why a projection did not take over what an event says, or not as the event says it.
///
/// A replay session has the reports of each event; recording, rebuilds and reads make none:
///
/// ```swift
/// let session = try store.replaySession()
/// for case .lost(let loss) in try session.reports(at: 4_711).map(\.decision) { print("lost to \(loss.winner)") }
/// ```
public struct FoldReport: Sendable, Hashable {
    /// A decision about an event.
    public enum Decision: Sendable, Hashable {
        /// A choice, an edit or a receipt has no effect: that of another event holds.
        case lost(Loss)
        /// A time counts as that of a day after the recording, which is earlier.
        case capped(Timestamp, to: Timestamp)
        /// A message has not arrived; what the event says of it applies when it does.
        case parked
        /// The words of a host's projection, see ``ProjectionRows/report(_:)``.
        case said(String)
    }

    /// A loss of a choice, an edit or a receipt by its time.
    public struct Loss: Sendable, Hashable {
        /// The event that holds.
        public let winner: Position
        /// The time that counts of the event that holds.
        public let winnerTime: Timestamp
        /// The time that the event that holds names; nil for one that names none.
        public let winnerNamedTime: Timestamp?
        /// The time that counts of the event that lost: the same or an earlier one.
        public let time: Timestamp
        /// Whether another value holds than the one that lost.
        public let isDifferent: Bool
    }

    /// The projection that decided.
    public let projection: ProjectionID
    /// The decision.
    public let decision: Decision
}

/// Collects what folds decide against events, in a replay alone.
///
/// Whoever goes back in a log folds events again; they are reported once.
final class FoldReports: @unchecked Sendable {  // Used under the lock of the replayed views.
    /// The event whose value holds, and the value.
    private typealias Holder = (position: Position, time: Timestamp, namedTime: Timestamp?, value: AnyHashable)

    /// By the position of the event.
    private(set) var all: [Position: [FoldReport]] = [:]
    /// By the bytes of the table's number, the part of the row and the key.
    private var holders: [[UInt8]: Holder] = [:]
    /// The last event that was reported of, and whether a value of it holds.
    private var last = (position: Position.origin, holds: false)

    func add(_ decision: FoldReport.Decision, by projection: ProjectionID, at position: Position) {
        guard takes(position) else { return }
        let report = FoldReport(projection: projection, decision: decision)
        if all[position]?.contains(report) != true { all[position, default: []].append(report) }
    }

    /// Weighs a value against the one that holds. An event has lost if all its values have.
    ///
    /// - Parameters:
    ///   - part: The part of the row, where there are several.
    ///   - time: The time that counts, in milliseconds since 1970.
    ///   - namedTime: The time that the event names; nil if it names none.
    ///   - holds: Whether the fold takes the value over.
    func weigh<Key: ViewKey>(
        _ value: some Hashable, of table: Table<Key, some ViewRow>, at key: Key, part: UInt8 = 0,
        _ time: some BinaryInteger,
        named namedTime: Timestamp?, holds: Bool, by projection: ProjectionID, _ event: RecordView
    ) {
        let position = event.position
        guard takes(position) else { return }
        let weighed = [table.viewTable.number, part] + key.bytes
        let new = Holder(position, Timestamp(milliseconds: Int64(clamping: time)), namedTime, AnyHashable(value))
        if let namedTime, namedTime > new.time { add(.capped(namedTime, to: new.time), by: projection, at: position) }
        guard !holds else {
            holders[weighed] = new
            last.holds = true
            all[position]?.removeAll { if case .lost = $0.decision { true } else { false } }
            return
        }
        guard !last.holds, let holder = holders[weighed] else { return }
        let loss = FoldReport.Loss(
            winner: holder.position, winnerTime: holder.time, winnerNamedTime: holder.namedTime, time: new.time,
            isDifferent: holder.value != new.value)
        add(.lost(loss), by: projection, at: position)
    }

    /// Whether an event is folded for the first time.
    private func takes(_ position: Position) -> Bool {
        if position > last.position { last = (position, false) }
        return position == last.position
    }
}
