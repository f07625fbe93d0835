@_spi(Storage) internal import MessageStoreLog

/// A part of the keys of a host's table.
package struct KeyColumn: Hashable, Sendable {
    /// In what order the values are.
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// Conversations, in the order of kinds, ids and channels.
        case conversation = 1
        /// Users, in the order of the UTF-8 bytes of ids.
        case user = 2
        /// Numbers.
        case number = 3
        /// Times.
        case time = 4
        /// Positions of the log, such as messages' local ids.
        case position = 5
        /// Strings, in the order of their UTF-8 bytes.
        case string = 6
    }

    /// The name, for those who show keys.
    package let name: String
    /// nil for values that keys cannot have.
    package let kind: Kind?

    init(_ name: String, _ kind: Kind?) {
        self.name = name
        self.kind = kind
    }
}

extension KeyColumn.Kind {
    /// The column of a type of values; nil if keys cannot have them.
    init?<Value: FieldValue>(_ type: Value.Type) {
        let isPosition = type == Position.self || type == LocalMessageID.self
        let kind = Self.allCases.first { $0.fieldType == Value.fieldType && ($0 == .position) == isPosition }
        guard let kind else { return nil }
        self = kind
    }

    /// The type of fields that hold the values.
    var fieldType: FieldType {
        switch self {
        case .conversation: FieldType(.conversation)
        case .user: FieldType(.user)
        case .number, .position: FieldType(.number)
        case .time: FieldType(.time)
        case .string: FieldType(.string)
        }
    }
}

/// Keys of hosts' tables as bytes in the order of the values.
///
/// Numbers are big-endian, times with the sign bit flipped; strings end in two zero bytes, and a zero within is
/// followed by 0xFF, much as in FoundationDB's tuples
/// (<https://github.com/apple/foundationdb/blob/main/design/tuple.md>). Users and conversations are written in full:
/// their numbers in the log's symbols depend on other records, about which a fold must know nothing.
extension [KeyColumn] {
    /// The bytes of a key, or of its first parts.
    ///
    /// - Parameter fields: The values, as fields that are numbered from 1.
    func bytes(_ fields: [UInt8]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var reader = FieldReader(fields.span.bytes)
        for column in self {
            guard let field = reader.next() else { break }
            switch column.kind {
            case .number, .position: bytes += field.number.bigEndianBytes
            case .time: bytes += (field.number ^ 1 << 63).bigEndianBytes
            case .user, .string: Self.append(field.string, to: &bytes)
            case .conversation:
                let key: ConversationKey = try FieldRow.value(field.id, in: fields)
                bytes.append(key.kind.rawValue)
                Self.append(key.id, to: &bytes)
                bytes.append(key.channel == nil ? 0 : 1)
                if let channel = key.channel { Self.append(channel, to: &bytes) }
            case nil: break
            }
        }
        return bytes
    }

    private static func append(_ string: String, to bytes: inout [UInt8]) {
        for byte in string.utf8 { bytes += byte == 0 ? [0, 0xFF] : [byte] }
        bytes += [0, 0]
    }

    /// The values of a whole key, as fields that are numbered from 1; nil for bytes that are none.
    func fields(of key: RawSpan) -> [UInt8]? {
        var fields = FieldWriter()
        var reader = TableKeyReader(key)
        for (number, column) in zip(UInt32(1)..., self) {
            switch column.kind {
            case .number, .position:
                guard let value = reader.number() else { return nil }
                fields.field(number, value)
            case .time:
                guard let value = reader.number() else { return nil }
                fields.field(number, value ^ 1 << 63)
            case .user, .string:
                guard let value = reader.string() else { return nil }
                fields.field(number, value)
            case .conversation:
                guard let value = reader.conversation() else { return nil }
                try? value._write(number, to: &fields)
            case nil: return nil
            }
        }
        return reader.isAtEnd ? fields.bytes : nil
    }
}

/// Reads the parts of a key one after the other.
private struct TableKeyReader: ~Escapable {
    private let key: RawSpan
    private var offset = 0

    @_lifetime(copy key)
    init(_ key: RawSpan) { self.key = key }

    var isAtEnd: Bool { offset == key.byteCount }

    mutating func conversation() -> ConversationKey? {
        guard let kind = byte(), let id = string(), let hasChannel = byte(), hasChannel <= 1 else { return nil }
        var key = ConversationKey(ConversationKind(rawValue: kind), id)
        guard hasChannel == 1 else { return key }
        guard let channel = string() else { return nil }
        key.channel = channel
        return key
    }

    private mutating func byte() -> UInt8? {
        guard let byte = key.load(at: offset, as: UInt8.self) else { return nil }
        offset += 1
        return byte
    }

    mutating func number() -> UInt64? {
        guard let number = key.loadBigEndian(at: offset, as: UInt64.self) else { return nil }
        offset += 8
        return number
    }

    mutating func string() -> String? {
        var bytes: [UInt8] = []
        while let byte = byte() {
            guard byte == 0 else {
                bytes.append(byte)
                continue
            }
            switch self.byte() {
            case 0: return String(decoding: bytes, as: UTF8.self)
            case 0xFF: bytes.append(0)
            default: return nil
            }
        }
        return nil
    }
}

/// A key of a host's table and how it is stored, which any key of more than ``limit`` bytes is not as it is: LMDB's have 511
/// at most.
///
/// Of a longer key the first bytes are stored, and a checksum of the whole. So it is where the order of keys wants it,
/// but for keys whose first bytes are the same: a reader takes these together, see ``ViewSnapshot``. The value is ``LongKeyRows``.
struct StoredKey {
    static let limit = 500
    /// More bytes than any stored key has.
    static let boundCount = limit + MemoryLayout<UInt64>.size + 1

    /// The key.
    let whole: [UInt8]
    /// The bytes in the table.
    let bytes: [UInt8]

    init(_ key: [UInt8]) {
        whole = key
        bytes =
            key.count <= Self.limit
            ? key : key.prefix(Self.limit) + XXH64.hash(key.span.bytes, seed: 0).bigEndianBytes
    }

    /// The rest of a long key after the bytes with which it is stored; nil if the key is stored whole.
    private var rest: [UInt8]? { whole.count > Self.limit ? Array(whole[Self.limit...]) : nil }

    /// The row of the key in what is stored at its bytes; nil if there is none.
    ///
    /// - Throws: ``StoreError`` with code `viewsDamaged`.
    func row(in stored: RawSpan) throws -> [UInt8]? {
        guard let rest else { return stored.copied }
        return try LongKeyRows(stored, at: bytes.span.bytes).rows.first { $0.rest == rest }?.row
    }

    /// The value that is stored at the bytes once the key has a row, or none; nil if nothing is left.
    ///
    /// - Throws: ``StoreError`` with code `viewsDamaged`.
    func stored(_ row: [UInt8]?, over stored: [UInt8]?) throws -> [UInt8]? {
        guard let rest else { return row }
        var rows = try stored.map { try LongKeyRows($0.span.bytes, at: bytes.span.bytes).rows } ?? []
        rows.removeAll { $0.rest == rest }
        if let row { rows.append((rest, row)) }
        guard !rows.isEmpty else { return nil }
        var writer = FieldWriter()
        for (rest, row) in rows.ordered(by: { $0.rest.lexicographicallyPrecedes($1.rest) }) {
            writer.field(1, rest)
            writer.field(2, row)
        }
        return writer.bytes
    }
}

/// The value that is stored at the bytes of a long key: the rest of the key and the row, of several keys with one checksum in their
/// order.
struct LongKeyRows {
    let rows: [(rest: [UInt8], row: [UInt8])]
    private let beginning: [UInt8]

    /// - Throws: ``StoreError`` with code `viewsDamaged`.
    init(_ stored: RawSpan, at key: RawSpan) throws {
        var (reader, rows) = (FieldReader(stored), [(rest: [UInt8], row: [UInt8])]())
        while let rest = reader.next(), let row = reader.next(), rest.id == 1, row.id == 2 {
            rows.append((rest.bytes.copied, row.bytes.copied))
        }
        guard reader.isAtEnd, !reader.isMalformed, !rows.isEmpty, key.byteCount > StoredKey.limit else {
            throw StoreError(
                .viewsDamaged, "the row \(key.hexadecimal) of a host's table cannot be read; rebuild the views")
        }
        self.rows = rows
        beginning = key.extracting(0..<StoredKey.limit).copied
    }

    // Not inlined, as `DescribedRow.init`.
    @inline(never)
    init(at cursor: borrowing RowCursor) throws { try self.init(cursor.value, at: cursor.key) }

    /// The rows with their whole keys.
    var whole: [(key: [UInt8], row: [UInt8])] { rows.map { (beginning + $0.rest, $0.row) } }
}
