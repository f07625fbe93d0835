/// The result of verifying the views.
public struct VerificationReport: Sendable, Hashable {
    /// The position at which both builds were compared.
    public let position: Position
    /// The position from which on the log is whole: records before it were cut off, so that the replay began with what is
    /// left of them. 0 where none was.
    public let base: Position
    /// The digest of each projection as it is served. Equal logs give equal digests on every machine.
    public let digests: [ProjectionID: UInt64]
    /// The digest of each projection as a replay of the log gives it.
    public let rebuiltDigests: [ProjectionID: UInt64]
    /// The first rows that differ, up to the requested limit.
    public let differences: [RowDifference]
    /// How many rows differ in all.
    public let differenceCount: Int

    /// Whether the views match the log.
    public var isConsistent: Bool { differenceCount == 0 && digests == rebuiltDigests }
}

/// A row that differs between two builds of the views: the served one and a replay, or an earlier and a later position.
public struct RowDifference: Sendable, Hashable {
    /// The projection.
    public let projection: ProjectionID
    /// The table.
    public let table: String
    /// The row's key, in hexadecimal.
    public let key: String
    /// The whole row of the first build, names included, in hexadecimal; nil where there is none.
    ///
    /// The first build is the one that is served, for ``MessageStore/verify(limit:progress:)-4uque``, or the earlier
    /// position.
    public let first: String?
    /// The whole row of the second build, names included, in hexadecimal; nil where there is none.
    ///
    /// The second build is the replay, or the later position.
    public let second: String?
    /// The parts of the key in words; nil where the key cannot be decoded.
    public let keyParts: [KeyPart]?
    /// The parts of the row that differ, in words; nil where one of the rows cannot be decoded.
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
        /// The value in the first build, in words; nil where there is none.
        public let first: String?
        /// The value in the second build, in words; nil where there is none.
        public let second: String?
    }
}
