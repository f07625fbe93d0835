internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// A part of a row or a key, in words.
package struct DescribedPart: Hashable, Sendable {
    package let name: String
    /// nil where the row has no value.
    package let value: String?
}

/// A row of any table of the views, in words.
package struct DescribedRow: Hashable, Sendable {
    /// nil where the key cannot be read.
    package let key: [DescribedPart]?
    /// nil where the row cannot be read.
    package let row: [DescribedPart]?
}

extension TableDescription {
    /// The columns of a key in words; nil for bytes that are no such key.
    func keyParts(_ key: RawSpan) -> [DescribedPart]? {
        guard let values = TableKey.values(key, of: self.key) else { return nil }
        return zip(self.key, values).map { DescribedPart(name: $0.name, value: $1.words) }
    }

    /// The fields of a row in words.
    func rowParts(_ row: RawSpan) -> [DescribedPart] {
        let bytes = row.copied
        return fields.map { DescribedPart(name: $0.name, value: $0.text(in: bytes)) }
    }
}

extension KeyValue {
    fileprivate var words: String {
        switch self {
        case .conversation(let key): key.description
        case .user(let user): user.rawValue
        case .number(let number): String(number)
        case .time(let time): time.description
        case .position(let position): position.description
        case .string(let string): string
        }
    }
}
