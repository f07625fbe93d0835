@_spi(Storage) internal import MessageStoreLog

/// Gives the parts of a row their values.
struct RowReader: RowParts, ~Escapable {
    private let bytes: RawSpan
    private var offset = 0
    private var hasFields = false
    private var isBroken = false

    @inline(__always) @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    /// Whether every part had its bytes and none are left.
    var isComplete: Bool {
        @inline(__always) get { !isBroken && (hasFields ? areFieldsWhole : offset == bytes.byteCount) }
    }

    private var areFieldsWhole: Bool {
        var fields = FieldReader(bytes.extracting(offset..<bytes.byteCount))
        while fields.next() != nil {}
        return !fields.isMalformed
    }

    @inline(__always) @_lifetime(self: copy self)
    mutating func part<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        // The next part begins at the same place whether this one can be read or not, so that places are constants.
        let start = offset
        offset += MemoryLayout<Value.Stored>.size
        guard let stored = bytes.load(at: start, as: Value.Stored.self), let known = Value(stored: stored) else {
            isBroken = true
            return
        }
        value = known
    }

    @inline(__always) @_lifetime(self: copy self)
    mutating func bigEndian<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        let start = offset
        offset += MemoryLayout<Value.Stored>.size
        guard let stored = bytes.loadBigEndian(at: start, as: Value.Stored.self), let known = Value(stored: stored)
        else {
            isBroken = true
            return
        }
        value = known
    }

    @inline(__always) @_lifetime(self: copy self)
    mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int?, _ meaning: RowMeaning) {
        let end = count.map { offset + $0 } ?? bytes.byteCount
        guard offset <= end, end <= bytes.byteCount else {
            isBroken = true
            return
        }
        value = bytes.extracting(offset..<end).copied
        offset = end
    }

    @inline(__always) @_lifetime(self: copy self)
    mutating func string(_ name: StaticString, _ value: inout String) {
        guard offset <= bytes.byteCount else {
            isBroken = true
            return
        }
        value = bytes.extracting(offset..<bytes.byteCount).string
        offset = bytes.byteCount
    }

    @_lifetime(self: copy self)
    mutating func field<Value>(
        _ number: UInt32, _ name: StaticString, _ value: inout Value, _ kind: RowField<Value>
    ) {
        guard !isBroken else { return }
        hasFields = true
        var fields = EventFields(FieldReader(bytes.extracting(offset..<bytes.byteCount)))
        fields.field(number, name, &value, kind)
    }

    @inline(__always) @_lifetime(self: copy self)
    mutating func continues(_ hasMore: Bool) -> Bool { offset < bytes.byteCount }
}

/// Gives the fields of a row the values that an event has for them; the others keep theirs.
struct EventFields: RowParts, ~Escapable {
    private let fields: FieldReader

    @_lifetime(copy fields)
    init(_ fields: FieldReader) { self.fields = fields }

    @_lifetime(self: copy self)
    mutating func field<Value>(
        _ number: UInt32, _ name: StaticString, _ value: inout Value, _ kind: RowField<Value>
    ) {
        var reader = fields
        while let field = reader.next() {
            guard field.id == number else { continue }
            kind.take(&value, field)
            if !kind.isList { return }
        }
    }

    // Events have fields only.

    @_lifetime(self: copy self)
    mutating func part<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {}
    @_lifetime(self: copy self)
    mutating func bigEndian<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {}
    @_lifetime(self: copy self)
    mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int?, _ meaning: RowMeaning) {}
    @_lifetime(self: copy self)
    mutating func string(_ name: StaticString, _ value: inout String) {}
    @_lifetime(self: copy self)
    mutating func continues(_ hasMore: Bool) -> Bool { false }
}
