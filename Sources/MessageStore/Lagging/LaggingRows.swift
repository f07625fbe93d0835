package import MessageStoreLMDB

/// The rows of a lagging projection while it changes them: values by keys, in the order of the keys' bytes.
///
/// Keys have 1 to 500 bytes. Each value is stored with a checksum of itself and its key; a damaged one throws, and has
/// all rows made again.
public struct LaggingRows: ~Copyable {
    package let transaction: WriteTransaction
    package let table: Table

    /// Whether values and keys are sealed.
    package var isSealed: Bool { table.isSealed }

    /// The value at a key, or nil.
    ///
    /// - Throws: `StoreError`.
    public borrowing func value(at key: [UInt8]) throws -> [UInt8]? { try transaction.payload(at: key, in: table) }

    /// Sets the value at a key.
    ///
    /// - Throws: `StoreError`, `invalidArgument` for a key without bytes or with more than 500.
    public borrowing func put(_ value: [UInt8], at key: [UInt8]) throws {
        try LaggingRow.check(key)
        try transaction.put(LaggingRow.sealed(value, at: key).span.bytes, for: key.span.bytes, in: table)
    }

    /// Removes the value at a key.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: `StoreError`.
    @discardableResult
    public borrowing func remove(at key: [UInt8]) throws -> Bool {
        try LaggingRow.check(key)
        return try transaction.remove(key.span.bytes, in: table)
    }

    /// Calls `body` with keys and values in their order, until it returns false. It must not change rows.
    ///
    /// - Parameters:
    ///   - first: The first key, which need not exist; empty for the first of all.
    ///   - body: Called with each; returns whether to continue.
    /// - Throws: `StoreError`, or what `body` throws.
    public borrowing func forEach(
        from first: [UInt8] = [], _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Bool
    ) throws {
        try transaction.forEachPayload(in: table, from: first, body)
    }

    /// Calls `body` with keys in their order, until it returns false. It must not change rows.
    package borrowing func forEachKey(
        from first: [UInt8], _ body: (_ key: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        var cursor = try transaction.unboundCursor(in: table)
        var isFound = try first.withUnsafeBytes { try cursor.seek($0) }
        while isFound, try body(cursor.key) { isFound = try cursor.move(.next) }
    }
}

/// The rows of a lagging projection at one moment, for reading.
public struct LaggingSnapshot: ~Copyable {
    package let transaction: ReadTransaction
    package let table: Table
    /// The last event that the rows know of; the views of the same read may know later ones.
    public let position: Position

    /// The value at a key, or nil.
    ///
    /// - Throws: `StoreError`.
    public borrowing func value(at key: [UInt8]) throws -> [UInt8]? { try transaction.payload(at: key, in: table) }

    /// Calls `body` with keys and values in their order, until it returns false.
    ///
    /// - Parameters:
    ///   - first: The first key, which need not exist; empty for the first of all.
    ///   - body: Called with each; returns whether to continue.
    /// - Throws: `StoreError`, or what `body` throws.
    public borrowing func forEach(
        from first: [UInt8] = [], _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Bool
    ) throws {
        try transaction.forEachPayload(in: table, from: first, body)
    }
}

/// How a value is stored: its bytes, then a checksum of them and the key.
package enum LaggingRow {
    private static let checksumBytes = 4
    static let greatestKey = 500

    static func check(_ key: [UInt8]) throws {
        guard (1...greatestKey).contains(key.count) else {
            throw StoreError(.invalidArgument, "a key of a lagging projection has 1 to \(greatestKey) bytes")
        }
    }

    static func sealed(_ value: [UInt8], at key: [UInt8]) -> [UInt8] {
        let sum = value.withUnsafeBytes { value in key.withUnsafeBytes { checksum(value, at: $0) } }
        return value + withUnsafeBytes(of: sum.littleEndian) { [UInt8]($0) }
    }

    /// The bytes of a stored value without its checksum.
    ///
    /// - Throws: `StoreError` with code `viewsDamaged` if the checksum is another.
    package static func payload(
        _ stored: UnsafeRawBufferPointer, at key: UnsafeRawBufferPointer
    ) throws -> UnsafeRawBufferPointer {
        let count = stored.count - checksumBytes
        guard count >= 0 else { throw damaged }
        let value = UnsafeRawBufferPointer(rebasing: stored[..<count])
        guard
            UInt32(littleEndian: stored.loadUnaligned(fromByteOffset: count, as: UInt32.self))
                == checksum(value, at: key)
        else { throw damaged }
        return value
    }

    package static var damaged: StoreError { StoreError(.viewsDamaged, "a row of a lagging projection is damaged") }

    private static func checksum(_ value: UnsafeRawBufferPointer, at key: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: XXH64.hash(value, seed: XXH64.hash(key, seed: 0)))
    }
}

extension Transaction where Self: ~Copyable {
    borrowing func payload(at key: [UInt8], in table: Table) throws -> [UInt8]? {
        try LaggingRow.check(key)
        guard let stored = try value(for: key.span.bytes, in: table) else { return nil }
        return try stored.withUnsafeBytes { stored in
            try key.withUnsafeBytes { [UInt8](try LaggingRow.payload(stored, at: $0)) }
        }
    }

    borrowing func forEachPayload(
        in table: Table, from first: [UInt8], _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Bool
    ) throws {
        var cursor = try unboundCursor(in: table)
        var isFound = try first.withUnsafeBytes { try cursor.seek($0) }
        while isFound, try body([UInt8](cursor.key), [UInt8](LaggingRow.payload(cursor.openValue, at: cursor.key))) {
            isFound = try cursor.move(.next)
        }
    }
}
