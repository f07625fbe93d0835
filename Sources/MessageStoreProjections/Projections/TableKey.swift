@_spi(Storage) internal import MessageStoreLog

/// Keys of hosts' tables as bytes whose order is that of the values.
///
/// Numbers are big-endian, times with the sign bit flipped; strings end in two zero bytes, and a zero within is
/// followed by 0xFF, much as in FoundationDB's tuples
/// (<https://github.com/apple/foundationdb/blob/main/design/tuple.md>). Users and conversations are written in full:
/// their numbers in the log's symbols depend on what else was recorded, of which a fold must know nothing.
enum TableKey {
    /// Below LMDB's limit of 511.
    static let longest = 500

    /// The bytes of a key or of its first columns.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument` where the values do not fit the columns, or are too long.
    static func bytes(
        _ values: [KeyValue], of columns: [KeyColumn], isPrefix: Bool, _ table: String
    ) throws -> [UInt8] {
        guard isPrefix ? values.count <= columns.count : values.count == columns.count,
            zip(values, columns).allSatisfy({ $0.kind == $1.kind })
        else {
            let expected = columns.map { "\($0.name) \($0.kind)" }.joined(separator: ", ")
            throw StoreError(.invalidArgument, "keys of the table \(table) are \(expected)")
        }
        var bytes: [UInt8] = []
        for value in values { append(value, to: &bytes) }
        guard bytes.count <= longest else {
            throw StoreError(
                .invalidArgument, "a key of the table \(table) has \(bytes.count) bytes; \(longest) are allowed")
        }
        return bytes
    }

    private static func append(_ value: KeyValue, to bytes: inout [UInt8]) {
        switch value {
        case .conversation(let key):
            bytes.append(key.kind.rawValue)
            append(key.id, to: &bytes)
            bytes.append(key.channel == nil ? 0 : 1)
            if let channel = key.channel { append(channel, to: &bytes) }
        case .user(let user): append(user.rawValue, to: &bytes)
        case .number(let number): bytes += number.bigEndianBytes
        case .position(let position): bytes += position.rawValue.bigEndianBytes
        case .time(let time): bytes += (UInt64(bitPattern: time.milliseconds) ^ 1 << 63).bigEndianBytes
        case .string(let string): append(string, to: &bytes)
        }
    }

    private static func append(_ string: String, to bytes: inout [UInt8]) {
        for byte in string.utf8 { bytes += byte == 0 ? [0, 0xFF] : [byte] }
        bytes += [0, 0]
    }

    /// The values of a stored key; nil for bytes that are none.
    static func values(_ key: RawSpan, of columns: [KeyColumn]) -> [KeyValue]? {
        var values: [KeyValue] = []
        var reader = TableKeyReader(key)
        for column in columns {
            guard let value = reader.value(column.kind) else { return nil }
            values.append(value)
        }
        return reader.isAtEnd ? values : nil
    }
}

/// Reads the columns of a key one after the other.
private struct TableKeyReader: ~Escapable {
    private let key: RawSpan
    private var offset = 0

    @_lifetime(copy key)
    init(_ key: RawSpan) { self.key = key }

    var isAtEnd: Bool { offset == key.byteCount }

    @_lifetime(self: copy self)
    mutating func value(_ kind: KeyColumn.Kind) -> KeyValue? {
        switch kind {
        case .conversation: conversation().map { .conversation($0) }
        case .user: string().map { .user(UserID($0)) }
        case .string: string().map { .string($0) }
        case .number: number().map { .number($0) }
        case .position: number().map { .position(Position($0)) }
        case .time: number().map { .time(Timestamp(milliseconds: Int64(bitPattern: $0 ^ 1 << 63))) }
        }
    }

    @_lifetime(self: copy self)
    private mutating func conversation() -> ConversationKey? {
        guard let kind = byte(), let id = string(), let hasChannel = byte(), hasChannel <= 1 else { return nil }
        guard hasChannel == 1 else { return ConversationKey(ConversationKind(rawValue: kind), id) }
        guard let channel = string() else { return nil }
        return ConversationKey(ConversationKind(rawValue: kind), id, channel: channel)
    }

    @_lifetime(self: copy self)
    private mutating func byte() -> UInt8? {
        guard let byte = key.load(at: offset, as: UInt8.self) else { return nil }
        offset += 1
        return byte
    }

    @_lifetime(self: copy self)
    private mutating func number() -> UInt64? {
        guard let number = key.loadBigEndian(at: offset, as: UInt64.self) else { return nil }
        offset += 8
        return number
    }

    @_lifetime(self: copy self)
    private mutating func string() -> String? {
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
