/// When the rows that listed conversations are assembled from changed last, and what was assembled from them.
///
/// A history begins with the views that the write buffer lies over, and ends where rows change without a fold: then the
/// next one begins with nothing assembled.
struct RowHistory: Sendable {
    /// Whether changes of a table are noted; decided where the code is compiled, for every row of every fold asks it.
    @inline(__always)
    static func notes(_ table: ViewTable) -> Bool { !table.traits.isDisjoint(with: [.noted, .notedByMessage]) }

    private static let slotBits = 12
    /// How many changes of conversations are remembered.
    private static let lastCount = 1024

    let kept = KeptValues()
    /// The folds that were begun; a fold changes rows only while it is the last one.
    private(set) var fold: UInt64 = 0
    /// The last fold that changed a row of each slot; after these, in turn, the last changes of conversations: the fold
    /// in the upper half, the conversation in the lower one. In one array, since every read copies the history.
    private var changes = [UInt64](repeating: 0, count: 1 << slotBits + lastCount)
    /// How many changes of conversations there were.
    private var turns = 0

    /// The slot that this row's changes mark. All rows of one conversation, user or message share a slot, with a few
    /// others. nil for a table whose changes are not noted.
    static func slot(_ table: ViewTable, _ key: UnsafeRawBufferPointer) -> Int? {
        guard notes(table), key.count >= 4 else { return nil }
        var part = UInt64(key.loadUnaligned(as: UInt32.self).bigEndian)
        // The last four bytes of a position differ from message to message.
        if table.traits.contains(.notedByMessage), key.count == 8 {
            part = key.loadUnaligned(as: UInt64.self).bigEndian
        }
        let mixed = (part ^ UInt64(table.number) << 48) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> UInt64(64 - slotBits))
    }

    mutating func beginFold() { fold += 1 }

    /// Notes that the row of a key changes.
    mutating func note(_ table: ViewTable, _ key: UnsafeRawBufferPointer) {
        guard let slot = Self.slot(table, key) else { return }
        changes[slot] = fold
        guard table.traits.contains(.queried) else { return }
        let conversation = UInt64(key.loadUnaligned(as: UInt32.self).bigEndian)
        changes[Self.slot(ofTurn: turns)] = fold << 32 | conversation
        turns += 1
    }

    private static func slot(ofTurn turn: Int) -> Int { 1 << slotBits + turn % lastCount }

    /// The conversations that a query may find or count otherwise than after `fold`; nil if they are too many to know.
    func conversationsChanged(since fold: UInt64) -> Set<ConversationNumber>? {
        guard fold <= self.fold, self.fold <= UInt32.max else { return nil }
        var changed: Set<ConversationNumber> = []
        for turn in stride(from: turns - 1, through: max(0, turns - Self.lastCount), by: -1) {
            let change = changes[Self.slot(ofTurn: turn)]
            if change >> 32 <= fold { return changed }
            changed.insert(ConversationNumber(rawValue: UInt32(truncatingIfNeeded: change)))
        }
        return turns > Self.lastCount ? nil : changed
    }

    /// Whether no row of some slots was changed by a later fold than `fold`, which is one of this history.
    func isUnchanged(_ slots: [UInt16], since fold: UInt64) -> Bool {
        // The views do not show rows that a later fold left.
        guard fold <= self.fold else { return false }
        return slots.allSatisfy { changes[Int($0)] <= fold }
    }
}

/// Notes of the rows read while a value is made, so that the value can be used until any of them changes, and cursors
/// for the next read.
///
/// It belongs to one snapshot, and with it to one thread.
final class RowReads {
    /// Values of more are not worth their memory.
    private static let maximumBytes = 8 << 10

    @exclusivity(unchecked) var chunkCursors = ChunkCursors()
    private var isNoting = false
    /// Whether everything that was read is noted.
    private var isWhole = true
    private var slots: [UInt16] = []
    private var byteCount = 0

    /// Notes what is read from here on.
    func begin() {
        slots.removeAll(keepingCapacity: true)
        byteCount = 0
        isWhole = true
        isNoting = true
    }

    /// Notes nothing any more.
    ///
    /// - Returns: The slots in the ``RowHistory`` of all that was read; nil if what was made of it cannot be kept.
    @discardableResult
    func end() -> [UInt16]? {
        isNoting = false
        return isWhole && byteCount <= Self.maximumBytes ? slots : nil
    }

    /// Notes that a row was asked for, or all whose keys begin with this one.
    func note(_ table: ViewTable, _ key: UnsafeRawBufferPointer, bytes: Int) {
        guard isNoting else { return }
        byteCount += bytes
        guard let slot = RowHistory.slot(table, key) else { return isWhole = false }
        let number = UInt16(slot)
        if !slots.contains(number) { slots.append(number) }
    }

    /// Notes that so much of the log was read, which does not change.
    func note(bytes: Int) {
        if isNoting { byteCount += bytes }
    }

    /// Notes that something was read whose changes are not noted.
    func noteOther() { isWhole = false }
}
