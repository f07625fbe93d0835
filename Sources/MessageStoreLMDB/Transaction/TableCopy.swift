/// A copy of a table in an empty table of another environment, made in steps with a snapshot each.
///
/// Pages keep bytes of entries that were changed or removed, in the slack of pages that are in use as well, and LMDB's
/// own compacting copy takes pages as they are. An environment that was filled by puts alone holds nothing else.
package struct TableCopy {
    private let source: Environment
    private let table: Table
    private let copy: Table
    /// The last key that was copied; empty before the first.
    private var lastKey: [UInt8] = []
    /// How many entries were copied.
    package private(set) var count = 0

    /// Entries, and bytes of their values, that share a snapshot of the source.
    private static let (entriesPerStep, bytesPerStep) = (16_384, 8 << 20)

    package init(of table: Table, in source: Environment, to copy: Table) {
        (self.source, self.table, self.copy) = (source, table, copy)
    }

    /// Copies the next entries in a transaction of the other environment.
    ///
    /// - Parameter check: Called with each key and value before they are copied.
    /// - Returns: Whether there may be more.
    package mutating func step(
        in transaction: borrowing WriteTransaction, check: (RawSpan, RawSpan) throws -> Void = { _, _ in }
    ) throws -> Bool {
        let snapshot = try source.beginRead()
        var cursor = try snapshot.cursor(in: table)
        var isFound = try lastKey.isEmpty ? cursor.move(.first) : cursor.seek(lastKey.span.bytes)
        if isFound, cursor.key.withUnsafeBytes({ $0.elementsEqual(lastKey) }) { isFound = try cursor.move(.next) }
        let limit = count + Self.entriesPerStep
        var byteCount = 0
        while isFound, count < limit, byteCount < Self.bytesPerStep {
            let key = cursor.key
            try check(key, cursor.value)
            try transaction.put(cursor.value, for: key, in: copy, mode: .append)
            count += 1
            byteCount += cursor.value.byteCount
            isFound = try cursor.move(.next)
            if !isFound || count == limit || byteCount >= Self.bytesPerStep {
                lastKey = key.withUnsafeBytes { [UInt8]($0) }
            }
        }
        return isFound
    }
}
