internal import MessageStoreLMDB

/// The identities of records that were cut off, as the log's table `cutIdentities` has them: sorted, many to a value,
/// under the first of them.
enum CutIdentities {
    private static let size = 12
    private static let perValue = 160

    /// Writes sorted identities to an empty table.
    static func put(
        _ identities: ArraySlice<IdentityKey>, in table: Table, _ transaction: borrowing WriteTransaction
    ) throws {
        var rest = identities
        while !rest.isEmpty {
            let part = rest.prefix(perValue)
            rest = rest.dropFirst(perValue)
            var bytes = ByteWriter(capacity: size * perValue)
            for identity in part { identity.write(to: &bytes) }
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
        while try cursor.move(.next) {
            let identities = try identities(cursor.key, cursor.value)
            for index in 0..<identities.byteCount / size {
                if let identity = identity(at: index, of: identities) { try body(identity) }
            }
        }
    }

    static func contains(
        _ identity: IdentityKey, in table: Table, _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> Bool {
        var key = ByteWriter(capacity: size)
        identity.write(to: &key)
        var cursor = try transaction.cursor(in: table)
        var isFound = try cursor.seek(key.bytes)
        if isFound, cursor.key.isEqual(to: key.bytes) { return true }
        isFound = try cursor.move(isFound ? .previous : .last)
        guard isFound else { return false }
        let identities = try identities(cursor.key, cursor.value)
        var (low, high) = (0, identities.byteCount / size)
        while low < high {
            let middle = (low + high) / 2
            guard let found = Self.identity(at: middle, of: identities) else { return false }
            if found == identity { return true }
            if found < identity { low = middle + 1 } else { high = middle }
        }
        return false
    }

    private static func identity(at index: Int, of identities: RawSpan) -> IdentityKey? {
        IdentityKey(identities.extracting(index * size..<(index + 1) * size))
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

extension LogSnapshot {
    /// Whether an event of an identity was recorded and cut off; its identity alone decides (a false hit among ten
    /// million events: 10⁻¹⁵).
    package borrowing func isCut(_ identity: IdentityKey) throws -> Bool {
        guard let table = tables.cutIdentities else { return false }
        return try CutIdentities.contains(identity, in: table, transaction)
    }

    /// Calls `body` with the identities of all records that were cut off.
    package borrowing func forEachCutIdentity(_ body: (IdentityKey) throws -> Void) throws {
        guard let table = tables.cutIdentities else { return }
        try CutIdentities.forEach(in: table, transaction, body)
    }
}
