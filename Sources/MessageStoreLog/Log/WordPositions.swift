internal import MessageStoreLMDB

/// The positions of the committed events that may hold words of a message, by conversation: what an erasure looks at.
///
/// They only spare reading: the record and the views decide what an erasure removes. The first erasure after an opening
/// or a compaction reads all events for them, and each later one the events that were committed since. A record without
/// words leaves them at the next look, since words never come back. A position takes one to three bytes in a log of up
/// to two million events, and one more in larger ones.
final class WordPositions: Sendable {
    /// Ascending positions, each as the difference from the one before: seven bits a byte, the lowest first.
    private struct List {
        private(set) var bytes: [UInt8] = []
        private var last: UInt64 = 0

        init() {}

        init(_ positions: [UInt64]) { for position in positions { append(position) } }

        mutating func append(_ position: UInt64) {
            var difference = position - last
            while difference >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: difference) | 0x80)
                difference >>= 7
            }
            bytes.append(UInt8(difference))
            last = position
        }

        var positions: [UInt64] {
            var (found, position, difference, shift) = ([UInt64](), UInt64(0), UInt64(0), UInt64(0))
            for byte in bytes {
                difference |= UInt64(byte & 0x7F) << shift
                shift += 7
                guard byte < 0x80 else { continue }
                position += difference
                found.append(position)
                (difference, shift) = (0, 0)
            }
            return found
        }
    }

    private struct State {
        /// By the conversations' numbers; a forged one takes no more room than another.
        var lists: [UInt32: List] = [:]
        /// The last event that they know.
        var last: UInt64 = 0
    }

    /// Positions that are no further apart are read one after the other, without a search for each.
    private static let reach: UInt64 = 4

    private let state = Locked(State())

    /// Calls `body` with the records of a conversation that may hold words.
    ///
    /// - Parameter snapshot: Of the log whose positions these are.
    fileprivate func forEach(
        of conversation: UInt32, to last: UInt64, _ snapshot: borrowing LogSnapshot,
        _ body: (RecordView) throws -> Void
    ) throws {
        let positions = try state.withLock { state throws in
            try Self.add(upTo: last, to: &state, snapshot)
            return state.lists[conversation]?.positions ?? []
        }
        var wordless: Set<UInt64> = []
        var index = 0
        while index < positions.count, positions[index] <= last {
            let first = positions[index]
            var end = first
            while index < positions.count, positions[index] <= min(end + Self.reach, last) {
                end = positions[index]
                index += 1
            }
            // All are verified: a damaged one may not say whose it is.
            try snapshot.scanCommitted(from: Position(first), to: Position(end)) { record in
                guard record.conversation == conversation else { return .proceed }
                if record.hasWords {
                    try body(record)
                } else if record.mayHoldWords {
                    wordless.insert(record.position.rawValue)
                }
                return .proceed
            }
        }
        guard !wordless.isEmpty else { return }
        state.withLock { state in
            let left = state.lists[conversation]?.positions.filter { !wordless.contains($0) }
            state.lists[conversation] = left.map(List.init)
        }
    }

    private static func add(upTo end: UInt64, to state: inout State, _ snapshot: borrowing LogSnapshot) throws {
        guard end > state.last else { return }
        try snapshot.scanCommitted(from: Position(state.last + 1), to: Position(end)) { record in
            let position = record.position.rawValue
            if record.hasWords { state.lists[record.conversation, default: List()].append(position) }
            state.last = position
            return .proceed
        }
    }
}

extension RecordView {
    fileprivate var mayHoldWords: Bool { type.isMessage || type.has(.holdsWords) }
    fileprivate var hasWords: Bool { mayHoldWords && !flags.contains(.isRedacted) }
}

extension LogSnapshot {
    /// Calls `body` with every record of a conversation, up to a position, that may hold words of a message and was not
    /// redacted, in order.
    ///
    /// Costs a search for each, and for the first call, or after others were recorded, a step for every record.
    ///
    /// - Parameter conversation: The number of the conversation.
    /// - Throws: ``StoreError`` with code `recordDamaged` at the first damaged or missing record, among the records that no
    ///   earlier call has read, the conversation's records with words, and some between these.
    package borrowing func forEachRecordWithWords(
        of conversation: UInt32, to last: Position, _ body: (RecordView) throws -> Void
    ) throws {
        let memory = staged.first?.batch.firstPosition ?? Position(.max)
        // Events that replace others share their positions.
        let committed =
            replacements == nil ? min(last, try lastCommittedPosition(), Position(memory.rawValue - 1)) : .origin
        try tables.wordPositions.forEach(of: conversation, to: committed.rawValue, self, body)
        try scan(from: Position(committed.rawValue + 1), to: last) { record in
            if record.conversation == conversation, record.hasWords { try body(record) }
            return .proceed
        }
    }
}
