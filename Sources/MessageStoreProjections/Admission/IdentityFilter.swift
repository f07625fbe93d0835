@_spi(Storage) package import MessageStoreLog

/// Tells at once of most identities that the store does not know them, without a look at the index.
///
/// A Bloom filter (Bloom 1970) whose four bits a key lie in one 64-bit word, so that a question costs one cache miss
/// (Putze, Sanders, Singler 2007, "Cache-, Hash- and Space-Efficient Bloom Filters"). At 16 bits a key about one in a
/// hundred unknown keys is taken for a known one and looked up in vain. It never denies a key that was inserted.
package struct IdentityFilter: Sendable {
    private static let keysPerWord = 4
    private static let firstCapacity = 1 << 18
    /// The largest filter, of 8 MB, is never full: beyond its capacity more unknown keys are looked up in vain.
    private static let lastCapacity = 1 << 22

    /// Filters of growing size: keys are hashes, so a full one cannot be enlarged.
    private var segments: [Segment] = []

    private struct Segment: Sendable {
        var words: ContiguousArray<UInt64>
        var count = 0

        init(capacity: Int) {
            words = ContiguousArray(repeating: 0, count: max(1, capacity / IdentityFilter.keysPerWord))
        }

        var isFull: Bool {
            let capacity = words.count * IdentityFilter.keysPerWord
            return capacity < IdentityFilter.lastCapacity && count >= capacity
        }

        /// The upper half of the hash chooses the word, the lower four bits of it.
        func place(of key: IdentityKey) -> (word: Int, mask: UInt64) {
            let word = Int(((key.high >> 32) &* UInt64(words.count)) >> 32)
            let bits = key.high
            let mask =
                (1 &<< (bits & 63)) | (1 &<< (bits >> 6 & 63)) | (1 &<< (bits >> 12 & 63)) | (1 &<< (bits >> 18 & 63))
            return (word, mask)
        }
    }

    /// A filter of all identities that `snapshot` holds; costs a pass over the tables that tell which events are known.
    ///
    /// - Throws: ``StoreError`` with code `viewsDamaged` where their rows are not those that were written, since a known
    ///   event whose row is lost would be recorded again.
    package init(_ snapshot: borrowing ViewSnapshot) throws {
        for table in ViewTable.ofKnownEvents where table != .identities { try snapshot.recountDigest(of: table) }
        try snapshot.recountDigest(of: .identities) { key throws in
            guard let identity = IdentityKey(key) else { throw StoreError.unreadableRow(of: .identities, at: key) }
            insert(identity)
        }
    }

    package mutating func insert(_ key: IdentityKey) {
        if segments.last?.isFull ?? true {
            segments.append(Segment(capacity: min(Self.firstCapacity << (2 * segments.count), Self.lastCapacity)))
        }
        let last = segments.count - 1
        let place = segments[last].place(of: key)
        segments[last].words[place.word] |= place.mask
        segments[last].count += 1
    }

    /// False where the key was certainly never inserted.
    package func mayContain(_ key: IdentityKey) -> Bool {
        segments.contains { segment in
            let place = segment.place(of: key)
            return segment.words[place.word] & place.mask == place.mask
        }
    }
}
