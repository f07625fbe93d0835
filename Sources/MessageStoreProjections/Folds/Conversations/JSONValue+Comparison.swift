extension JSONValue {
    /// Whether the value is a string, a number or a boolean.
    var isScalar: Bool { rank < Self.listRank }

    private static var listRank: Int { 3 }

    /// The place of the value's type among types.
    private var rank: Int {
        switch self {
        case .bool: 0
        case .integer, .number: 1
        case .string: 2
        case .array, .object, .null: Self.listRank
        }
    }

    /// -1, 0 or 1 as the value is less than, equal to or greater than another; nil if they cannot be compared.
    ///
    /// Strings are compared by their UTF-8, numbers by their exact values.
    func compared(with other: JSONValue) -> Int? {
        switch (self, other) {
        case (.bool(let first), .bool(let second)): first == second ? 0 : second ? -1 : 1
        case (.integer(let first), .integer(let second)): first == second ? 0 : first < second ? -1 : 1
        case (.number(let first), .number(let second)):
            first == second ? 0 : first < second ? -1 : first > second ? 1 : nil
        case (.integer(let first), .number(let second)): Self.compare(first, second)
        case (.number(let first), .integer(let second)): Self.compare(second, first).map { -$0 }
        case (.string(let first), .string(let second)):
            first.hasSameBytes(as: second) ? 0 : first.utf8.lexicographicallyPrecedes(second.utf8) ? -1 : 1
        default: nil
        }
    }

    private static func compare(_ integer: Int64, _ number: Double) -> Int? {
        guard !number.isNaN else { return nil }
        guard number < 0x1p63 else { return -1 }
        guard number >= -0x1p63 else { return 1 }
        let whole = Int64(number.rounded(.down))
        if integer != whole { return integer < whole ? -1 : 1 }
        return Double(whole) < number ? -1 : 0
    }

    func isEqual(to other: JSONValue) -> Bool { compared(with: other) == 0 }

    /// The order of values that may differ in their types, for sorting; values that cannot be compared are in one
    /// place.
    func sorts(against other: JSONValue) -> Int {
        compared(with: other) ?? (rank == other.rank ? 0 : rank < other.rank ? -1 : 1)
    }

    /// The same bytes for equal values.
    var indexBytes: [UInt8]? {
        switch self {
        case .bool(let bool): [bool ? 1 : 0]
        case .integer(let integer): [2] + integer.bigEndianBytes
        case .number(let number):
            if let integer = Int64(exactly: number) {
                [2] + integer.bigEndianBytes
            } else {
                [3] + number.bitPattern.bigEndianBytes
            }
        case .string, .array, .object, .null: nil
        }
    }
}

extension ValueCondition {
    /// The values that it compares with.
    var operands: [JSONValue] {
        switch self {
        case .equal(let value), .notEqual(let value), .less(let value), .lessOrEqual(let value), .greater(let value),
            .greaterOrEqual(let value), .contains(let value):
            [value]
        case .oneOf(let values), .noneOf(let values): values
        case .hasPrefix, .hasSuffix, .exists, .isMissing: []
        }
    }

    /// Whether it holds for a value, nil for none.
    func holds(for value: JSONValue?) -> Bool {
        switch self {
        case .isMissing: return value == nil
        case .notEqual(let other): return value?.isEqual(to: other) != true
        case .noneOf(let others): return !others.contains { value?.isEqual(to: $0) == true }
        default: break
        }
        guard let value else { return false }
        switch self {
        case .equal(let other): return value.isEqual(to: other)
        case .less(let other): return value.isOrdered(against: other) { $0 < 0 }
        case .lessOrEqual(let other): return value.isOrdered(against: other) { $0 <= 0 }
        case .greater(let other): return value.isOrdered(against: other) { $0 > 0 }
        case .greaterOrEqual(let other): return value.isOrdered(against: other) { $0 >= 0 }
        case .oneOf(let others): return others.contains { value.isEqual(to: $0) }
        case .hasPrefix(let prefix):
            if case .string(let string) = value { return string.utf8.starts(with: prefix.utf8) }
            return false
        case .hasSuffix(let suffix):
            if case .string(let string) = value { return string.utf8.reversed().starts(with: suffix.utf8.reversed()) }
            return false
        case .contains(let other): return value.contains(other)
        case .exists, .isMissing, .notEqual, .noneOf: return true
        }
    }
}

extension JSONValue {
    /// Booleans are equal or not, and neither is less.
    fileprivate func isOrdered(against other: JSONValue, _ holds: (Int) -> Bool) -> Bool {
        if case .bool = self { return false }
        return compared(with: other).map(holds) ?? false
    }

    fileprivate func contains(_ other: JSONValue) -> Bool {
        switch (self, other) {
        case (.array(let elements), _): elements.contains { $0.isEqual(to: other) }
        case (.string(let string), .string(let part)): string.containsBytes(of: part)
        default: false
        }
    }
}

extension String {
    /// Whether the UTF-8 of another string occurs in this one's.
    fileprivate func containsBytes(of part: String) -> Bool {
        let (whole, part) = (Array(utf8), Array(part.utf8))
        guard let first = part.first else { return true }
        guard part.count <= whole.count else { return false }
        return (0...whole.count - part.count).contains { start in
            whole[start] == first && whole[start..<start + part.count].elementsEqual(part)
        }
    }
}

extension JSONValue {
    /// The value for people.
    var words: String {
        switch self {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .integer(let integer): "\(integer)"
        case .number(let number): "\(number)"
        case .string(let string): string
        case .array(let elements): "[" + elements.map(\.words).joined(separator: " ") + "]"
        case .object: "object"
        }
    }
}
