/// A small object: JSON after a line with its checksum.
package enum ShippedJSON {
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let json = try JSONBytes.encode(value, escapesSlashes: true)
        return Array("\(XXH64.hash(json.span.bytes).hexadecimal())\n".utf8) + json
    }

    /// - Throws: ``StoreError`` with code `segmentDamaged`.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, _ bytes: [UInt8], name: String
    ) throws(StoreError) -> Value {
        let line = 17
        guard bytes.count > line, bytes[line - 1] == UInt8(ascii: "\n"),
            String(decoding: bytes[..<(line - 1)], as: UTF8.self)
                == XXH64.hash(Array(bytes[line...]).span.bytes).hexadecimal(),
            let value = try? JSONBytes.decode(type, from: bytes[line...])
        else { throw StoreError(.segmentDamaged, "a shipped object is damaged", path: name) }
        return value
    }
}

/// Which store ships first.
package struct FirstStore: Codable {
    let store: String
}

/// The end of a store's log, in the place of its next segment: another store continues it.
package struct LogEndNote: Codable {
    let successor: String
    let last: UInt64
}

/// That all words which ledgers up to one name were taken out of the place.
package struct ErasedNote: Codable {
    let ledger: UInt64
}

extension [UInt8] {
    /// Whether an object among the segments ends the log. A segment begins otherwise.
    package var isLogEnd: Bool { first != UInt8(ascii: "\n") }
}
