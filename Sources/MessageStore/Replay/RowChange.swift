@_spi(Storage) internal import MessageStoreLog
internal import MessageStoreProjections

/// A row of the views that is another one at a later position.
public struct RowChange: Sendable, Hashable {
    /// The projection.
    public let projection: ProjectionID
    /// The table.
    public let table: String
    /// The row's key, in hexadecimal.
    public let key: String
    /// The whole row before, names included, in hexadecimal; nil where there was none.
    public let before: String?
    /// The whole row after, names included, in hexadecimal; nil where there is none.
    public let after: String?
    /// The parts of the key in words; nil where the key cannot be decoded.
    public let keyParts: [KeyPart]?
    /// The parts of the row that changed, in words; nil where one of the rows cannot be decoded.
    ///
    /// Ids are shown. Names and other texts written by people are shown by their length, so two parts that differ may
    /// look alike.
    public let parts: [Part]?

    /// A part of a key.
    public struct KeyPart: Sendable, Hashable {
        /// The name, as in the document of the format.
        public let name: String
        /// The value in words.
        public let value: String
    }

    /// A part of a row.
    public struct Part: Sendable, Hashable {
        /// The name, as in the document of the format.
        public let name: String
        /// The value before, in words; nil where there was none.
        public let before: String?
        /// The value after, in words; nil where there is none.
        public let after: String?
    }

    init(_ difference: ViewDifference, _ symbols: SymbolTable) {
        let words = difference.words(symbols)
        projection = difference.projection
        table = difference.declaration.name
        key = difference.key.span.bytes.hexadecimal
        before = difference.live.map { $0.span.bytes.hexadecimal }
        after = difference.rebuilt.map { $0.span.bytes.hexadecimal }
        keyParts = words.key?.map { KeyPart(name: $0.name, value: $0.value) }
        parts = words.parts?.map { Part(name: $0.name, before: $0.live, after: $0.rebuilt) }
    }
}
