@_spi(Storage) internal import MessageStoreLog

/// Keys of hosts' tables as bytes whose order is that of the values.
///
/// Numbers are big-endian, times with the sign bit flipped; strings end in two zero bytes, and a zero within is
/// followed by 0xFF, much as in FoundationDB's tuples
/// (<https://github.com/apple/foundationdb/blob/main/design/tuple.md>).
enum TableKey {
    /// Below LMDB's limit of 511.
    static let longest = 500

    /// The bytes of a key or of its first columns; nil where a user or conversation is one that no event named.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument` where the values do not fit the columns.
    static func bytes(
        _ values: [KeyValue], of columns: [KeyColumn], isPrefix: Bool, _ table: String, _ symbols: SymbolTable
    ) throws -> [UInt8]? {
        guard isPrefix ? values.count <= columns.count : values.count == columns.count,
            zip(values, columns).allSatisfy({ $0.kind == $1.kind })
        else {
            let expected = columns.map { "\($0.name) \($0.kind)" }.joined(separator: ", ")
            throw StoreError(.invalidArgument, "keys of the table \(table) are \(expected)")
        }
        var bytes: [UInt8] = []
        for value in values {
            switch value {
            case .conversation(let key):
                guard let number = try symbols.existingNumber(of: key) else { return nil }
                bytes += RowKey.number(number)
            case .user(let user):
                guard let number = try symbols.existingNumber(of: user) else { return nil }
                bytes += RowKey.number(number)
            case .number(let number): bytes += RowKey.number(number)
            case .position(let position): bytes += RowKey.number(position.rawValue)
            case .time(let time): bytes += RowKey.number(UInt64(bitPattern: time.milliseconds) ^ 1 << 63)
            case .string(let string):
                for byte in string.utf8 { bytes += byte == 0 ? [0, 0xFF] : [byte] }
                bytes += [0, 0]
            }
        }
        guard bytes.count <= longest else {
            throw StoreError(
                .invalidArgument, "a key of the table \(table) has \(bytes.count) bytes; \(longest) are allowed")
        }
        return bytes
    }

    /// The values of a stored key; nil for bytes that are none.
    static func values(_ key: RawSpan, of columns: [KeyColumn], _ symbols: SymbolTable) throws -> [KeyValue]? {
        var values: [KeyValue] = []
        var offset = 0
        for column in columns {
            guard let (value, end) = try value(column.kind, key, offset, symbols) else { return nil }
            values.append(value)
            offset = end
        }
        return offset == key.byteCount ? values : nil
    }

    private static func value(
        _ kind: KeyColumn.Kind, _ key: RawSpan, _ offset: Int, _ symbols: SymbolTable
    ) throws -> (KeyValue, end: Int)? {
        switch kind {
        case .conversation, .user:
            guard let number = key.loadBigEndian(at: offset, as: UInt32.self) else { return nil }
            let value: KeyValue =
                kind == .user ? .user(try symbols.user(number)) : .conversation(try symbols.conversation(number))
            return (value, offset + 4)
        case .number, .position, .time:
            guard let number = key.loadBigEndian(at: offset, as: UInt64.self) else { return nil }
            let value: KeyValue =
                switch kind {
                case .time: .time(Timestamp(milliseconds: Int64(bitPattern: number ^ 1 << 63)))
                case .position: .position(Position(number))
                default: .number(number)
                }
            return (value, offset + 8)
        case .string:
            var bytes: [UInt8] = []
            var end = offset
            while let byte = key.load(at: end, as: UInt8.self) {
                end += 1
                guard byte == 0 else {
                    bytes.append(byte)
                    continue
                }
                let mark = key.load(at: end, as: UInt8.self)
                end += 1
                if mark == 0 { return (.string(String(decoding: bytes, as: UTF8.self)), end) }
                guard mark == 0xFF else { return nil }
                bytes.append(0)
            }
            return nil
        }
    }
}
