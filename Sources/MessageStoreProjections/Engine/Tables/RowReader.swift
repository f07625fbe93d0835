@_spi(Storage) internal import MessageStoreLog

/// Gives the parts of a row, or of a key, their values.
struct RowReader: RowParts, ~Escapable {
    private let bytes: RawSpan
    /// Whether all numbers are big-endian, as in keys.
    private let isKey: Bool
    private var offset = 0
    private var hasFields = false
    /// The fields that were not read yet.
    private var fields: FieldReader
    private var lastNumber: UInt32 = 0
    /// Whether a part could not be read.
    private(set) var isBroken = false

    @inline(__always) @_lifetime(copy bytes)
    init(_ bytes: RawSpan, isKey: Bool = false) {
        self.bytes = bytes
        self.isKey = isKey
        fields = FieldReader(bytes)
    }

    /// Whether every part had its bytes and none are left.
    var isComplete: Bool {
        @inline(__always) get { !isBroken && (hasFields ? areFieldsWhole : offset == bytes.byteCount) }
    }

    private var areFieldsWhole: Bool {
        var fields = fields
        while fields.next() != nil {}
        return !fields.isMalformed
    }

    @inline(__always)
    mutating func part<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        take(
            isKey
                ? bytes.loadBigEndian(at: offset, as: Value.Stored.self)
                : bytes.load(at: offset, as: Value.Stored.self), &value)
    }

    @inline(__always)
    mutating func bigEndian<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        take(bytes.loadBigEndian(at: offset, as: Value.Stored.self), &value)
    }

    @inline(__always)
    private mutating func take<Value: RowValue>(_ stored: Value.Stored?, _ value: inout Value) {
        // The next part begins at the same place whether this one can be read or not, so that places are constants.
        offset += MemoryLayout<Value.Stored>.size
        guard let stored, let known = Value(stored: stored) else {
            isBroken = true
            return
        }
        value = known
    }

    @inline(__always)
    mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int?, _ meaning: RowMeaning) {
        let end = count.map { $0 < 0 ? bytes.byteCount + $0 : offset + $0 } ?? bytes.byteCount
        guard offset <= end, end <= bytes.byteCount else {
            isBroken = true
            return
        }
        value = bytes.extracting(offset..<end).copied
        offset = end
    }

    /// The next bytes; nil if there are fewer.
    @_lifetime(copy self)
    mutating func next(_ count: Int) -> RawSpan? {
        guard !isBroken, count >= 0, count <= bytes.byteCount - offset else {
            isBroken = true
            return nil
        }
        defer { offset += count }
        return bytes.extracting(offset..<offset + count)
    }

    @inline(__always)
    mutating func string(_ name: StaticString, _ value: inout String) {
        guard offset <= bytes.byteCount else {
            isBroken = true
            return
        }
        value = bytes.extracting(offset..<bytes.byteCount).string
        offset = bytes.byteCount
    }

    mutating func field<Value>(
        _ number: UInt32, _ name: StaticString, _ value: inout Value, _ kind: RowField<Value>
    ) {
        guard !isBroken else { return }
        if !hasFields {
            hasFields = true
            fields = FieldReader(bytes.extracting(offset..<bytes.byteCount))
        }
        // Rows name their fields by ascending numbers, and hold them so: one pass reads all of them.
        assert(number > lastNumber, "a row names its fields by ascending numbers")
        lastNumber = number
        var ahead = fields
        var isTaken = false
        while let field = ahead.next(), field.id <= number {
            if field.id == number, kind.isList || !isTaken {
                kind.take(&value, field)
                isTaken = true
            }
            fields = ahead
        }
        isBroken = ahead.isMalformed
    }

    @inline(__always)
    mutating func continues(_ hasMore: Bool) -> Bool { offset < bytes.byteCount }
}

/// Gives the fields of a row the values that an event has for them; the others keep theirs.
///
/// The row names its fields for each field of the event, so that the event is read once:
///
/// ```swift
/// var fields = EventFields(event.fields)
/// while fields.next() { row.describeFields(&fields) }
/// ```
struct EventFields: RowParts, ~Escapable {
    private var reader: FieldReader
    private var current: FieldReader.Field
    /// A bit for each number with a field taken; the log's are below 64.
    private var taken: UInt64 = 0

    @_lifetime(copy fields)
    init(_ fields: FieldReader) {
        reader = fields
        current = FieldReader.Field(id: 0, number: 0, bytes: RawSpan())
    }

    /// Moves to the next field; false after the last.
    @inline(__always)
    mutating func next() -> Bool {
        guard let next = reader.next() else { return false }
        current = next
        return true
    }

    /// The number in the current field, if it is the field of this number.
    @inline(__always)
    func number(of field: UInt32) -> UInt64? { current.id == field ? current.number : nil }

    @inline(__always)
    mutating func field<Value>(
        _ number: UInt32, _ name: StaticString, _ value: inout Value, _ kind: RowField<Value>
    ) {
        guard current.id == number else { return }
        // If there are several fields of a number, the first is the value.
        guard kind.isList || taken >> UInt64(number) & 1 == 0 else { return }
        taken |= 1 << UInt64(number)
        kind.take(&value, current)
    }

    // Events have fields only.

    mutating func part<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {}
    mutating func bigEndian<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {}
    mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int?, _ meaning: RowMeaning) {}
    mutating func string(_ name: StaticString, _ value: inout String) {}
    mutating func continues(_ hasMore: Bool) -> Bool { false }
}
