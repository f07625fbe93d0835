/// Records that a compaction leaves out: no answer needs them any more.
package struct LogCut: Sendable {
    /// Where the records are.
    package private(set) var positions = PositionSet()
    /// The bytes of the records.
    package private(set) var byteCount = 0
    /// What they are recognised by when they arrive again.
    package private(set) var identities: [IdentityKey] = []
    /// The last event that erased what they are about.
    package let cause: Position

    package init(cause: Position) { self.cause = cause }

    /// Adds what a message is recognised by.
    package mutating func add(_ identity: Identity) { identities.append(identity.key) }

    /// Leaves a record where it is.
    package mutating func remove(_ record: RecordView) {
        guard positions.contains(record.position) else { return }
        positions.remove(record.position)
        byteCount -= record.bytes.byteCount
    }

    /// Adds a record.
    package mutating func add(_ record: RecordView) {
        positions.insert(record.position)
        byteCount += record.bytes.byteCount
        record.forEachIdentity { identities.append($0.key) }
    }
}
