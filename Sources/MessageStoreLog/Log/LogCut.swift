internal import MessageStoreLMDB

/// Records that a compaction leaves out: no answer needs them any more.
package struct LogCut: Sendable {
    /// The records' positions.
    package private(set) var positions = PositionSet()
    /// The bytes of the records.
    package private(set) var byteCount = 0
    /// Identities that recognise the records when they arrive again.
    package private(set) var identities: [IdentityKey] = []
    /// The last event that erased what they are about.
    package private(set) var cause: Position
    /// The same positions as gaps of the log.
    var gaps: [LogGap] { positions.ranges.map { LogGap($0, cause: cause) } }

    /// The bytes that the log keeps of each identity.
    package static let bytesOfIdentity = CutIdentities.size

    package init(cause: Position) { self.cause = cause }

    /// Adds what a message is recognised by.
    package mutating func add(_ identity: Identity) { identities.append(identity.key) }

    /// Leaves a record where it is.
    package mutating func remove(_ record: RecordView) {
        guard positions.contains(record.position) else { return }
        positions.remove(record.position)
        byteCount -= record.bytes.byteCount
    }

    /// Adds a record.
    package mutating func add(_ record: RecordView) {
        positions.insert(record.position)
        byteCount += record.bytes.byteCount
        record.forEachIdentity { identities.append($0.key) }
    }
}

/// A damaged log's knowledge of records that were cut off.
extension LogCut {
    /// A gap that ends here or later is somebody's invention: the set of its positions would take 512 MB of memory and more.
    private static let believedEnd: UInt64 = 1 << 32

    /// Takes an entry of a leaf page, if its table is about records that were cut off.
    mutating func note(_ key: RawSpan, _ value: RawSpan) -> Bool {
        if let gap = try? LogGap(key, value) {
            guard gap.cause.rawValue < Self.believedEnd else { return true }
            cause = max(cause, gap.cause)
            for position in gap.positions.lowerBound.rawValue...gap.positions.upperBound.rawValue {
                positions.insert(Position(position))
            }
            return true
        }
        let count = identities.count
        try? CutIdentities.forEach(of: key, value) { identities.append($0) }
        return identities.count > count
    }

    /// Forgets the gaps where the log has lost the event that caused the last one: they would be beyond its end.
    mutating func limit(to last: Position) {
        if cause > last { positions = PositionSet() }
    }
}

/// The identities of records that were cut off, as the log's table `cutIdentities` has them: the first 72 of their 96
/// bits, sorted, many to a value, under the first of them.
enum CutIdentities {
    static let size = 9
    private static let perValue = 213

    /// Writes sorted identities to an empty table.
    static func put(
        _ identities: ArraySlice<IdentityKey>, in table: Table, _ transaction: borrowing WriteTransaction
    ) throws {
        var rest = identities
        while !rest.isEmpty {
            let part = rest.prefix(perValue)
            rest = rest.dropFirst(perValue)
            var bytes = ByteWriter(capacity: size * perValue)
            for identity in part { write(identity, to: &bytes) }
            var value = ByteWriter(capacity: 8 + size * perValue)
            value.append(XXH64.hash(bytes.bytes))
            value.append(bytes.bytes)
            try transaction.put(value.bytes, for: bytes.bytes.extracting(0..<size), in: table, mode: .append)
        }
    }

    static func forEach(
        in table: Table, _ transaction: borrowing some Transaction & ~Copyable, _ body: (IdentityKey) throws -> Void
    ) throws {
        var cursor = try transaction.cursor(in: table)
        while try cursor.move(.next) { try forEach(of: cursor.key, cursor.value, body) }
    }

    /// Calls `body` with the identities of one entry of the table.
    static func forEach(of key: RawSpan, _ value: RawSpan, _ body: (IdentityKey) throws -> Void) throws {
        let identities = try identities(key, value)
        for index in 0..<identities.byteCount / size {
            let bytes = identities.extracting(index * size..<(index + 1) * size)
            guard let high = bytes.loadBigEndian(at: 0, as: UInt64.self), let low = bytes.load(at: 8, as: UInt8.self)
            else { throw damage() }
            try body(IdentityKey(high: high, low: UInt32(low) << 24))
        }
    }

    static func contains(
        _ identity: IdentityKey, in table: Table, _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> Bool {
        var key = ByteWriter(capacity: size)
        write(identity, to: &key)
        var cursor = try transaction.cursor(in: table)
        guard try cursor.seek(atOrBelow: key.bytes) else { return false }
        let identities = try identities(cursor.key, cursor.value)
        var (low, high) = (0, identities.byteCount / size)
        while low < high {
            let middle = (low + high) / 2
            let found = identities.extracting(middle * size..<(middle + 1) * size)
            if found.isEqual(to: key.bytes) { return true }
            if found.precedes(key.bytes) { low = middle + 1 } else { high = middle }
        }
        return false
    }

    private static func write(_ identity: IdentityKey, to bytes: inout ByteWriter) {
        bytes.appendBigEndian(identity.high)
        bytes.append(UInt8(identity.low >> 24))
    }

    @_lifetime(copy value)
    private static func identities(_ key: RawSpan, _ value: RawSpan) throws -> RawSpan {
        guard value.byteCount >= 8 + size, (value.byteCount - 8) % size == 0,
            let checksum = value.load(at: 0, as: UInt64.self)
        else { throw damage() }
        let identities = value.extracting(8..<value.byteCount)
        guard XXH64.hash(identities) == checksum, key.isEqual(to: identities.extracting(0..<size)) else {
            throw damage()
        }
        return identities
    }

    private static func damage() -> StoreError {
        StoreError(.logDamaged, "identities of records that were cut off cannot be read")
    }
}

extension IdentityKey: Comparable {
    package static func < (first: IdentityKey, second: IdentityKey) -> Bool {
        first.high != second.high ? first.high < second.high : first.low < second.low
    }
}

extension [IdentityKey] {
    /// The same keys, ascending, each once as far as they are kept.
    var withoutRepeats: [IdentityKey] {
        sorted().reduce(into: []) { keys, key in
            if let last = keys.last, last.high == key.high, last.low >> 24 == key.low >> 24 { return }
            keys.append(key)
        }
    }
}

extension LogSnapshot {
    /// Whether an event of an identity was recorded and cut off; 72 bits of its identity alone decide (a false hit, where
    /// ten million events were cut off and ten million come: 2 · 10⁻⁸).
    package borrowing func isCut(_ identity: IdentityKey) throws -> Bool {
        guard let table = tables.cutIdentities else { return false }
        return try CutIdentities.contains(identity, in: table, transaction)
    }

    /// Calls `body` with the identities of all records that were cut off, as far as they are kept.
    package borrowing func forEachCutIdentity(_ body: (IdentityKey) throws -> Void) throws {
        guard let table = tables.cutIdentities else { return }
        try CutIdentities.forEach(in: table, transaction, body)
    }
}

/// A set of positions, one bit for each up to the last.
package struct PositionSet: Sendable {
    private var words: [UInt64] = []
    /// How many there are.
    package private(set) var count = 0

    package init() {}

    /// Adds a position.
    package mutating func insert(_ position: Position) {
        let (word, bit) = Self.place(of: position)
        while words.count <= word { words.append(0) }
        if words[word] & bit == 0 { count += 1 }
        words[word] |= bit
    }

    /// Removes a position.
    package mutating func remove(_ position: Position) {
        guard contains(position) else { return }
        let (word, bit) = Self.place(of: position)
        words[word] &= ~bit
        count -= 1
    }

    /// Whether a position is in the set.
    package func contains(_ position: Position) -> Bool {
        let (word, bit) = Self.place(of: position)
        return word < words.count && words[word] & bit != 0
    }

    /// The positions that follow each other without a gap, ascending.
    package var ranges: [ClosedRange<Position>] {
        var ranges: [ClosedRange<Position>] = []
        for word in words.indices where words[word] != 0 {
            for bit in 0..<64 where words[word] & (1 << UInt64(bit)) != 0 {
                let position = Position(UInt64(word * 64 + bit))
                ranges.add(position...position)
            }
        }
        return ranges
    }

    private static func place(of position: Position) -> (word: Int, bit: UInt64) {
        (Int(clamping: position.rawValue / 64), 1 << (position.rawValue % 64))
    }
}

extension [ClosedRange<Position>] {
    /// Adds positions that begin in the last range, right after it or later.
    mutating func add(_ range: ClosedRange<Position>) {
        if let last, last.upperBound.rawValue + 1 >= range.lowerBound.rawValue {
            self[count - 1] = last.lowerBound...Swift.max(last.upperBound, range.upperBound)
        } else {
            append(range)
        }
    }
}
