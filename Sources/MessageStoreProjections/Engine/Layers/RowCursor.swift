@_spi(Storage) internal import MessageStoreLog
internal import MessageStoreLMDB

/// Walks the merged rows of a table in one direction: write buffer over frozen buffer over environment.
package struct RowCursor: ~Copyable, ~Escapable {
    let table: ViewTable
    private var active: RowTreeCursor
    private var frozen: RowTreeCursor?
    private var base: StoredCursor
    private var isBaseValid = false
    private let isAscending: Bool
    private var currentKey = UnsafeRawBufferPointer(start: nil, count: 0)
    private var currentValue = UnsafeRawBufferPointer(start: nil, count: 0)
    private var isStarted = false

    @inline(__always)
    @_lifetime(immortal)
    init(
        _ table: ViewTable, active: RowTree, frozen: RowTree?, base: consuming StoredCursor,
        ascending: Bool, bound: UnsafeRawBufferPointer?
    ) throws {
        self.table = table
        self.active = RowTreeCursor(active)
        self.frozen = frozen.map { RowTreeCursor($0) }
        self.base = base
        isAscending = ascending
        if ascending {
            self.active.seek(bound)
            self.frozen?.seek(bound)
            isBaseValid = try bound.map { try self.base.seek($0) } ?? self.base.move(.first)
        } else {
            self.active.seekBackwards(before: bound)
            self.frozen?.seekBackwards(before: bound)
            isBaseValid = try bound.map { try self.base.seekBackwards(before: $0) } ?? self.base.move(.last)
        }
    }

    /// The key of the current row; valid until the cursor moves.
    package var key: RawSpan {
        @_lifetime(borrow self)
        get { _overrideLifetime(RawSpan(_unsafeBytes: currentKey), borrowing: self) }
    }

    /// The value of the current row.
    package var value: RawSpan {
        @_lifetime(copy self)
        get { _overrideLifetime(RawSpan(_unsafeBytes: currentValue), copying: self) }
    }

    /// Moves to the next row in the cursor's direction; false at the end.
    package mutating func next() throws -> Bool {
        if isStarted { try skipCurrent() }
        isStarted = true
        while let key = nextKey() {
            currentKey = key
            if let value = topValue(for: key) {
                currentValue = value
                return true
            }
            try skipCurrent()
        }
        return false
    }

    /// The next key of all layers.
    private var baseKey: UnsafeRawBufferPointer? {
        guard isBaseValid else { return nil }
        return base.key
    }

    private func nextKey() -> UnsafeRawBufferPointer? {
        var best = active.isValid ? active.key : nil
        if let frozen, frozen.isValid { best = earlier(best, frozen.key) }
        if let baseKey { best = earlier(best, baseKey) }
        return best
    }

    private func earlier(_ first: UnsafeRawBufferPointer?, _ second: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let first else { return second }
        let order = ByteOrder.compare(first, second)
        return (isAscending ? order <= 0 : order >= 0) ? first : second
    }

    /// The value in the topmost layer that has the key; nil if that layer deleted it.
    private func topValue(for key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        if active.isValid, ByteOrder.compare(active.key, key) == 0 { return active.value }
        if let frozen, frozen.isValid, ByteOrder.compare(frozen.key, key) == 0 { return frozen.value }
        return base.value
    }

    /// Moves every layer that is at the current key.
    private mutating func skipCurrent() throws {
        let key = currentKey
        let isAtActive = active.isValid && ByteOrder.compare(active.key, key) == 0
        let isAtFrozen = frozen.map { $0.isValid && ByteOrder.compare($0.key, key) == 0 } ?? false
        // Mostly the current key is the environment's.
        let isAtBase = baseKey.map { $0.baseAddress == key.baseAddress || ByteOrder.compare($0, key) == 0 } ?? false
        if isAtActive { isAscending ? active.advance() : active.retreat() }
        if isAtFrozen { isAscending ? frozen?.advance() : frozen?.retreat() }
        guard isAtBase else { return }
        isBaseValid = try base.move(isAscending ? .next : .previous)
    }
}
