@_spi(Storage) internal import MessageStoreLog

/// A part of a row's key. Keys are made by ``RowKey``; their parts are listed for those who show them.
enum KeyPart {
    /// A big-endian number of so many bytes.
    case number(_ name: String, bytes: Int, RowMeaning = .plain)
    /// The length of a server id, a byte, and the server id.
    case countedServerID
    /// Bytes of the store's.
    case bytes(_ name: String)
    /// The server's id of a message.
    case serverID
    /// A place in a conversation's order.
    case order(_ name: String)
    /// A string: all bytes but so many at the end.
    case string(_ name: String, isPersonal: Bool, leaving: Int = 0)

    static let conversation = number("conversation", bytes: 4, .conversation)
    static let local = number("local", bytes: 8)

    /// The part as the document of the format has it.
    var description: String {
        switch self {
        case .number(let name, let bytes, _): "\(name) u\(bytes * 8)"
        case .countedServerID: "serverIDLength u8, serverID bytes"
        case .bytes(let name): "\(name) bytes"
        case .serverID: "serverID bytes"
        case .order(let name): "\(name) order"
        case .string(let name, _, _): "\(name) string"
        }
    }
}

extension [KeyPart] {
    /// The parts of a key; nil for bytes that are no such key.
    func texts(of key: RawSpan) -> [RowPartText]? {
        var texts: [RowPartText] = []
        var offset = 0
        for part in self {
            guard let (text, end) = part.text(of: key, at: offset) else { return nil }
            texts.append(text)
            offset = end
        }
        return offset == key.byteCount ? texts : nil
    }
}

extension KeyPart {
    /// The part that begins at an offset of a key, and its end.
    fileprivate func text(of key: RawSpan, at offset: Int) -> (RowPartText, end: Int)? {
        switch self {
        case .number(let name, let count, let meaning):
            guard offset + count <= key.byteCount else { return nil }
            var number: UInt64 = 0
            for index in offset..<offset + count {
                number = number << 8 | UInt64(key.unsafeLoad(fromByteOffset: index, as: UInt8.self))
            }
            return (RowPartText(name: name, value: RowText(number, number.words, meaning)), offset + count)
        case .countedServerID:
            guard let count = key.load(at: offset, as: UInt8.self), offset + 1 + Int(count) <= key.byteCount else {
                return nil
            }
            let end = offset + 1 + Int(count)
            return (RowPartText(name: "serverID", value: .plain(key.extracting(offset + 1..<end).string)), end)
        case .bytes(let name):
            return rest(name, key, offset) { .plain($0.hexadecimal) }
        case .serverID:
            return rest("serverID", key, offset) { .plain($0.string) }
        case .order(let name):
            return rest(name, key, offset) { .order(OrderKey($0)) }
        case .string(let name, let isPersonal, let leaving):
            return rest(name, key, offset, leaving: leaving) {
                isPersonal ? .personal($0.string, byteCount: $0.byteCount) : .plain($0.string)
            }
        }
    }

    private func rest(
        _ name: String, _ key: RawSpan, _ offset: Int, leaving: Int = 0, _ text: (RawSpan) -> RowText
    ) -> (RowPartText, end: Int)? {
        let end = key.byteCount - leaving
        guard offset <= end else { return nil }
        return (RowPartText(name: name, value: text(key.extracting(offset..<end))), end)
    }
}
