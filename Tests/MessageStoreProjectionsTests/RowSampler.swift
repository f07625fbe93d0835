@_spi(Storage) import MessageStoreLog

@testable import MessageStoreProjections

/// Sets every part of a row to a value of its own and notes the bytes that the row must then have.
///
/// The bytes are put together here, byte by byte, and not by the writer that the rows use.
struct RowSampler: RowParts {
    /// The bytes of the parts so far.
    private(set) var expected: [UInt8] = []
    /// Lengths below the whole at which a row may end.
    private(set) var otherEnds: Set<Int> = []
    /// Whether the row takes any further bytes as part of its last value.
    private(set) var isOpen = false
    /// Counts up from part to part; large enough to be the length of an order.
    private var seed: UInt8 = 7

    mutating func part<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        expected += little(sample(&value))
    }

    mutating func bigEndian<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        expected += little(sample(&value)).reversed()
    }

    mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int?, _ meaning: RowMeaning) {
        seed += 1
        value = (0..<(count ?? 12)).map { seed &* 3 &+ UInt8($0) }
        append(value, isRest: count == nil)
    }

    mutating func string(_ name: StaticString, _ value: inout String) {
        seed += 1
        value = "word \(seed)"
        append(Array(value.utf8), isRest: true)
    }

    mutating func field<Value>(
        _ number: UInt32, _ name: StaticString, _ value: inout Value, _ kind: RowField<Value>
    ) {
        otherEnds.insert(expected.count)
        seed += 1
        var bytes: [UInt8]
        let sample: Any
        switch Value.self {
        case is String?.Type, is [String].Type:
            (sample, bytes) = (Value.self == [String].self ? ["f\(seed)"] : "f\(seed)", Array("f\(seed)".utf8))
        case is [UInt8]?.Type: (sample, bytes) = ([seed], [seed])
        case is [String: String].Type:
            (sample, bytes) = (["k": "v"], [10, 6, 10, 1, 0x6B, 18, 1, 0x76])
        case is AttributeValues.Type:
            // The name's length and the name, then the code of an integer and the integer.
            sample = AttributeValues(json: Array("{\"k\":\(seed)}".utf8))
            bytes = [1, 0, 0, 0, 0x6B, 2, seed, 0, 0, 0, 0, 0, 0, 0]
        case is UInt8?.Type, is UserNumber.Type:
            expected += [UInt8(number) << 3, seed]
            value = (UserNumber(rawValue: UInt32(seed)) as? Value) ?? (seed as? Value) ?? value
            return
        default: return
        }
        value = sample as? Value ?? value
        let tag = number << 3 | 2
        bytes.insert(contentsOf: tag < 128 ? [UInt8(tag)] : [UInt8(tag & 127) | 128, UInt8(tag >> 7)], at: 0)
        bytes.insert(UInt8(bytes.count - (tag < 128 ? 1 : 2)), at: tag < 128 ? 1 : 2)
        expected += bytes
    }

    mutating func continues(_ hasMore: Bool) -> Bool {
        otherEnds.insert(expected.count)
        return true
    }

    private mutating func append(_ bytes: [UInt8], isRest: Bool) {
        if isRest {
            otherEnds.formUnion(expected.count..<expected.count + bytes.count)
            isOpen = true
        }
        expected += bytes
    }

    /// The next number whose value there is and is not the one that a new row has.
    private mutating func sample<Value: RowValue>(_ value: inout Value) -> Value.Stored {
        let candidates = [seed, 3, 2, 1].map { Value.Stored($0) }
        let other = candidates.first { Value(stored: $0).map { $0 != value } ?? false } ?? 0
        if let sample = Value(stored: other) { value = sample }
        seed += 2
        return other
    }

    private func little(_ number: some FixedWidthInteger) -> [UInt8] {
        (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
