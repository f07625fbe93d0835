@_spi(Storage) internal import MessageStoreLog

/// Takes the values of a row's parts.
extension ByteWriter: RowParts {
    @inline(__always)
    mutating func part<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        append(value.stored)
    }

    @inline(__always)
    mutating func bigEndian<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        appendBigEndian(value.stored)
    }

    @inline(__always)
    mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int?, _ meaning: RowMeaning) {
        append(value)
    }

    @inline(__always)
    mutating func string(_ name: StaticString, _ value: inout String) { append(value) }

    mutating func field<Value>(
        _ number: UInt32, _ name: StaticString, _ value: inout Value, _ kind: RowField<Value>
    ) {
        kind.write(value, number, &self)
    }

    @inline(__always)
    mutating func continues(_ hasMore: Bool) -> Bool { hasMore }
}
