/// Reads numbered fields in the Protocol Buffers wire format, whatever the bytes are.
///
/// Broken bytes end the reading, and are noticed; they never trap.
@usableFromInline package struct FieldReader: ~Escapable {
    /// One field. `bytes` is empty for a number, `number` is 0 for bytes.
    package struct Field: ~Escapable {
        package let id: UInt32
        package let number: UInt64
        package let bytes: RawSpan

        @_lifetime(copy bytes)
        package init(id: UInt32, number: UInt64, bytes: RawSpan) {
            self.id = id
            self.number = number
            self.bytes = bytes
        }

        package var string: String { bytes.string }
        package var signed: Int64 { Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1) }
    }

    private let bytes: RawSpan
    private var offset = 0
    package private(set) var isMalformed = false

    @_lifetime(copy bytes)
    package init(_ bytes: RawSpan) {
        self.bytes = bytes
    }

    /// The next field, or nil at the end and where the bytes are broken.
    @_lifetime(copy self)
    package mutating func next() -> Field? {
        guard offset < bytes.byteCount else { return nil }
        guard let field = step() else {
            isMalformed = true
            offset = bytes.byteCount
            return nil
        }
        // The field that was passed over lies within the bytes.
        return Field(
            id: field.id, number: field.number, bytes: bytes.extracting(unchecked: offset &- field.length..<offset))
    }

    /// Passes over the next field, whose bytes are the last `length` ones; nil if it is broken.
    @inline(__always)
    private mutating func step() -> (id: UInt32, number: UInt64, length: Int)? {
        guard let tag = varint(), let id = UInt32(exactly: tag >> 3) else { return nil }
        switch tag & 7 {
        case 0:
            guard let number = varint() else { return nil }
            return (id, number, 0)
        case 1:
            guard let number = bytes.load(at: offset, as: UInt64.self) else { return nil }
            offset += 8
            return (id, number, 0)
        case 2:
            guard let length = varint(), length <= UInt64(bytes.byteCount - offset) else { return nil }
            offset += Int(length)
            return (id, 0, Int(length))
        case 5:
            guard let number = bytes.load(at: offset, as: UInt32.self) else { return nil }
            offset += 4
            return (id, UInt64(number), 0)
        default:
            return nil
        }
    }

    @inline(__always)
    package mutating func varint() -> UInt64? {
        // Most numbers, and nearly all tags and lengths, are a byte.
        guard offset < bytes.byteCount else { return nil }
        let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        guard byte >= 0x80 else {
            offset += 1
            return UInt64(byte)
        }
        return longVarint()
    }

    @inline(never)
    private mutating func longVarint() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.byteCount, shift < 64 {
            let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    /// The numbers of all fields; nil if the bytes cannot be read to their end.
    var numbers: FieldNumbers? {
        guard !isMalformed else { return nil }
        var (reader, numbers) = (self, FieldNumbers.none)
        while reader.offset < reader.bytes.byteCount {
            guard let field = reader.step() else { return nil }
            numbers.insert(field.id)
        }
        return numbers
    }

    /// Whether the bytes cannot be read to their end.
    var isBroken: Bool { numbers == nil }

    /// The bytes of every field whose number is not among `known`, as they are.
    package func bytes(except known: FieldNumbers) -> [UInt8] {
        var unknown: [UInt8] = []
        var reader = self
        var start = reader.offset
        while let field = reader.next() {
            if !known.contains(field.id) { unknown += bytes.extracting(start..<reader.offset).copied }
            start = reader.offset
        }
        return unknown
    }

    /// The fields' bytes with a change to each.
    func changed(_ change: (borrowing Field) -> FieldChange) -> [UInt8] {
        var changed = ByteWriter()
        var reader = self
        var start = reader.offset
        while let field = reader.next() {
            switch change(field) {
            case .keep: changed.append(bytes.extracting(start..<reader.offset))
            case .replace(let bytes): changed.field(field.id, bytes)
            case .remove: break
            }
            start = reader.offset
        }
        return changed.bytes.copied
    }

    /// Whether all bytes were read.
    package var isAtEnd: Bool { offset >= bytes.byteCount }
}

/// The change to a field.
enum FieldChange {
    case keep, remove
    /// Other bytes in the place of its own.
    case replace([UInt8])
}
