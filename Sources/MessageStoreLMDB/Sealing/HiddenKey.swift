internal import MessageStoreCLMDB
internal import MessageStoreSealing

/// A key that is not stored as it is: its clear beginning is, and a keyed hash of the whole in place of the rest.
///
/// The rest is sealed with the value, which begins with the rest's length, 16 bits, and the rest. A row is found by its
/// key, and all rows that share the clear beginning are stored next to each other, in no order of theirs.
struct HiddenKey {
    /// The key in the table.
    let stored: [UInt8]
    /// The bytes that are hidden; at least one. Valid as long as the key.
    let rest: UnsafeRawBufferPointer

    private static let countSize = 2

    /// The bytes to seal: the rest and the value.
    func value(_ value: UnsafeRawBufferPointer) -> [UInt8] {
        let count = UInt16(truncatingIfNeeded: rest.count)
        return [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8)] + rest + value
    }

    /// The hidden rest and the value in opened bytes; nil for other bytes.
    static func parts(
        _ opened: UnsafeRawBufferPointer
    ) -> (rest: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        guard opened.count >= countSize else { return nil }
        let end = countSize + Int(UInt16(littleEndian: opened.loadUnaligned(as: UInt16.self)))
        guard end > countSize, end <= opened.count else { return nil }
        return (
            UnsafeRawBufferPointer(rebasing: opened[countSize..<end]),
            UnsafeRawBufferPointer(rebasing: opened[end...])
        )
    }
}

/// The keys of the rows that share a clear beginning, in their order, each with the key that is stored.
final class HiddenKeys: Sendable {
    /// The clear beginning.
    let beginning: [UInt8]
    let keys: [(key: [UInt8], stored: [UInt8])]
    /// The stored key after these; nil if they are the table's last.
    let following: [UInt8]?

    init(_ beginning: [UInt8], _ keys: [(key: [UInt8], stored: [UInt8])], following: [UInt8]?) {
        self.beginning = beginning
        self.keys = keys.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        self.following = following
    }

    /// The place of the first key that is not less than another one.
    func firstIndex(notBelow key: UnsafeRawBufferPointer) -> Int {
        var (lower, upper) = (0, keys.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            let isBelow = keys[middle].key.withUnsafeBytes { $0.isLess(than: key) }
            if isBelow { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}

/// The keys of many rows that were read last, of one commit.
struct KnownKeys: Sendable {
    private var commitNumber = 0
    private var known: [[UInt8]: HiddenKeys] = [:]
    private var count = 0

    /// Few rows are read again, and more keys are not kept.
    private static let (least, most) = (32, 1 << 17)

    subscript(_ beginning: [UInt8], in commitNumber: Int) -> HiddenKeys? {
        get { commitNumber == self.commitNumber ? known[beginning] : nil }
        set {
            // A read of an earlier commit leaves what later ones know.
            guard commitNumber >= self.commitNumber else { return }
            if commitNumber > self.commitNumber { self = KnownKeys(commitNumber: commitNumber) }
            guard let newValue, known[beginning] == nil, newValue.keys.count >= Self.least,
                count + newValue.keys.count <= Self.most
            else {
                return
            }
            count += newValue.keys.count
            known[beginning] = newValue
        }
    }

    init(commitNumber: Int = 0) { self.commitNumber = commitNumber }
}

/// The rows of a table whose keys are hidden, in the order of their keys: a place in them that moves as a cursor does.
///
/// Rows that share a clear beginning are opened and put in order together, so that the first walk after a commit costs
/// as much as all of them. Their keys stay in memory until the next commit if they are many.
final class HiddenRows {
    private let handle: OpaquePointer
    private let table: Table
    private let seal: TableSeal
    private let opener: ValueOpener
    private var rows: HiddenKeys?
    private var index = 0
    /// The key where the cursor is.
    private let memory = ReusedMemory()
    private(set) var key = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The value that one row is opened into to learn its key.
    private let opened = ReusedMemory()
    private(set) var storedValue = UnsafeRawBufferPointer(start: nil, count: 0)

    /// - Parameter handle: A cursor of LMDB's that nobody else moves.
    init?(_ handle: OpaquePointer, _ table: Table, _ opener: ValueOpener) {
        guard let seal = table.seal, seal.hidesKeys else { return nil }
        (self.handle, self.table, self.seal, self.opener) = (handle, table, seal, opener)
    }

    /// Moves one step; answers false, and stays, where there is no row that way.
    func move(_ step: UnboundCursor.Step) throws(LMDBError) -> Bool {
        guard let rows else {
            let isBack = step == .previous || step == .last
            return try take(get(isBack ? MDB_LAST : MDB_FIRST)) { isBack ? $0 - 1 : 0 }
        }
        switch step {
        case .next where index + 1 < rows.keys.count: return try take(rows, index + 1)
        case .next:
            guard let following = rows.following else { return false }
            return try take(get(MDB_SET_RANGE, following)) { _ in 0 }
        case .previous where index > 0: return try take(rows, index - 1)
        case .previous:
            guard try get(MDB_SET_RANGE, rows.beginning) != nil else { return false }
            return try take(get(MDB_PREV)) { $0 - 1 }
        case .first: return try take(get(MDB_FIRST)) { _ in 0 }
        case .last: return try take(get(MDB_LAST)) { $0 - 1 }
        }
    }

    /// Moves to the first row whose key is not less than `key`, which is not empty; false, without moving, if there is
    /// none.
    func seek(_ key: UnsafeRawBufferPointer) throws(LMDBError) -> Bool {
        let clear = [UInt8](key[..<seal.clearCount(of: key)])
        guard let stored = try get(MDB_SET_RANGE, clear) else { return false }
        let found = try keys(with: stored)
        let place = found.firstIndex(notBelow: key)
        if place < found.keys.count { return try take(found, place) }
        guard let following = found.following else { return false }
        return try take(get(MDB_SET_RANGE, following)) { _ in 0 }
    }

    /// The value where the cursor is, open, in memory that `reserve` answers.
    func openValue(_ reserve: (Int) -> UnsafeMutableRawPointer) throws(LMDBError) -> UnsafeRawBufferPointer {
        guard let row = rows?.keys[index] else { return storedValue }
        return try row.stored.span.bytes.withUnsafeBytes { stored throws(LMDBError) in
            let opened = try opener.open(storedValue, of: stored, in: table, seal, to: reserve)
            guard seal.clearCount(of: stored) < stored.count else { return opened }
            guard let parts = HiddenKey.parts(opened) else { throw opener.broken(table) }
            return parts.value
        }
    }

    private func take(_ stored: MDB_val?, _ place: (Int) -> Int) throws(LMDBError) -> Bool {
        guard let stored else { return false }
        let found = try keys(with: stored)
        return try take(found, place(found.keys.count))
    }

    private func take(_ rows: HiddenKeys, _ index: Int) throws(LMDBError) -> Bool {
        let row = rows.keys[index]
        var value = MDB_val()
        let code = row.stored.withUnsafeBytes { bytes in
            var stored = MDB_val(bytes)
            return mdb_cursor_get(handle, &stored, &value, MDB_SET_KEY)
        }
        try opener.check(code, table)
        let bytes = UnsafeMutableRawBufferPointer(start: memory.reserve(row.key.count), count: row.key.count)
        bytes.copyBytes(from: row.key)
        key = UnsafeRawBufferPointer(bytes)
        storedValue = value.bytes
        (self.rows, self.index) = (rows, index)
        return true
    }

    /// The keys that share the clear beginning of a stored key.
    private func keys(with stored: MDB_val) throws(LMDBError) -> HiddenKeys {
        let beginning = [UInt8](stored.bytes[..<seal.clearCount(of: stored.bytes)])
        if let rows, rows.beginning == beginning, opener.commitNumber != nil { return rows }
        if let commitNumber = opener.commitNumber,
            let known = seal.known.withLock({ $0[beginning, in: commitNumber] })
        {
            return known
        }
        var keys: [(key: [UInt8], stored: [UInt8])] = []
        var following: [UInt8]?
        var next = try get(MDB_SET_RANGE, beginning)
        while let stored = next {
            guard stored.bytes.starts(with: beginning), seal.clearCount(of: stored.bytes) == beginning.count else {
                following = [UInt8](stored.bytes)
                break
            }
            keys.append((try key(of: stored), [UInt8](stored.bytes)))
            next = try get(MDB_NEXT)
        }
        let found = HiddenKeys(beginning, keys, following: following)
        if let commitNumber = opener.commitNumber {
            seal.known.withLock { $0[beginning, in: commitNumber] = found }
        }
        return found
    }

    /// The key whose row is at a stored key, where LMDB's cursor is.
    private func key(of stored: MDB_val) throws(LMDBError) -> [UInt8] {
        guard seal.clearCount(of: stored.bytes) < stored.mv_size else { return [UInt8](stored.bytes) }
        var (key, value) = (stored, MDB_val())
        try opener.check(mdb_cursor_get(handle, &key, &value, MDB_GET_CURRENT), table)
        let bytes = try opener.open(value.bytes, of: stored.bytes, in: table, seal) { opened.reserve($0) }
        guard let row = seal.row(stored.bytes, bytes) else { throw opener.broken(table) }
        return row.key
    }

    /// The stored key to which a step of LMDB's cursor leads; nil at the end.
    private func get(_ operation: MDB_cursor_op, _ key: [UInt8] = []) throws(LMDBError) -> MDB_val? {
        // LMDB has no empty keys.
        let operation = operation == MDB_SET_RANGE && key.isEmpty ? MDB_FIRST : operation
        var (found, value) = (MDB_val(), MDB_val())
        let code = key.withUnsafeBytes { key in
            found = MDB_val(key)
            return mdb_cursor_get(handle, &found, &value, operation)
        }
        if code == MDB_NOTFOUND { return nil }
        try opener.check(code, table)
        return found
    }
}

extension TableSeal {
    /// The row with a stored key, of the open bytes of its value; nil for other bytes.
    func row(
        _ stored: UnsafeRawBufferPointer, _ opened: UnsafeRawBufferPointer
    ) -> (key: [UInt8], value: UnsafeRawBufferPointer)? {
        let clear = clearCount(of: stored)
        guard clear < stored.count else { return ([UInt8](stored), opened) }
        return HiddenKey.parts(opened).map { ([UInt8](stored[..<clear]) + $0.rest, $0.value) }
    }

    /// The value of a key, which a read of LMDB's finds under the stored key; opened into the transaction's memory, or nil.
    func value(
        of key: UnsafeRawBufferPointer, in table: Table, by opener: ValueOpener,
        _ read: (UnsafeMutablePointer<MDB_val>, UnsafeMutablePointer<MDB_val>) -> Int32
    ) throws(LMDBError) -> UnsafeRawBufferPointer? {
        guard let hidden = hidden(key) else { return try opened(key, in: table, by: opener, read) }
        let found = try hidden.stored.span.bytes.withUnsafeBytes { stored throws(LMDBError) in
            try opened(stored, in: table, by: opener, read)
        }
        guard let found else { return nil }
        guard let parts = HiddenKey.parts(found), parts.rest.elementsEqual(hidden.rest) else {
            throw opener.broken(table)
        }
        return parts.value
    }

    private func opened(
        _ key: UnsafeRawBufferPointer, in table: Table, by opener: ValueOpener,
        _ read: (UnsafeMutablePointer<MDB_val>, UnsafeMutablePointer<MDB_val>) -> Int32
    ) throws(LMDBError) -> UnsafeRawBufferPointer? {
        var (stored, found) = (MDB_val(key), MDB_val())
        let code = read(&stored, &found)
        if code == MDB_NOTFOUND { return nil }
        try opener.check(code, table)
        return try opener.value(found.bytes, of: key, in: table, self)
    }
}
