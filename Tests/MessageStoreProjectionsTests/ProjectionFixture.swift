import MessageStoreLMDB
@_exported import MessageStoreModel
@_exported import MessageStoreTestKit
@_exported import MessageStoreWorkload
@_spi(Storage) import MessageStoreLog

@testable import MessageStoreProjections

extension SplitMix64 {
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

    /// A key of 1 to 20 bytes, often with the same first eight as others.
    mutating func key(spread: Int) -> [UInt8] {
        let beginnings: [[UInt8]] = [[], [0], [0, 0], [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8, 0], [0xFF]]
        return beginnings[below(beginnings.count)] + withUnsafeBytes(of: UInt16(below(spread)).bigEndian) { Array($0) }
            + [UInt8](repeating: 0, count: below(3))
    }
}

/// Rows in a sorted array of keys: what a ``RowTree`` must equal. A nil value is a deletion mark.
struct RowModel: Equatable {
    var rows: [[UInt8]: [UInt8]?] = [:]

    var sorted: [Row] {
        rows.map { Row(key: $0.key, value: $0.value) }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }
}

struct Row: Equatable {
    let key: [UInt8]
    let value: [UInt8]?
}

extension RowTree {
    mutating func set(_ key: [UInt8], _ value: [UInt8]?) {
        _ = key.withUnsafeBytes { key in
            guard let value else { return set(key, nil) }
            return value.withUnsafeBytes { set(key, $0) }
        }
    }

    var rows: [Row] {
        var cursor = RowTreeCursor(self)
        cursor.seek(nil)
        return cursor.rest { $0.advance() }
    }
}

extension RowTreeCursor {
    mutating func rest(_ move: (inout RowTreeCursor) -> Void) -> [Row] {
        var rows: [Row] = []
        while isValid {
            rows.append(Row(key: Array(key), value: value.map { Array($0) }))
            move(&self)
        }
        return rows
    }
}
