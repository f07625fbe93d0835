@_spi(Storage) package import MessageStoreLog

/// Says at once of most identities that the store does not know them, without a look at the index.
///
/// A Bloom filter (Bloom 1970) whose eight bits a key lie in one block of 256, so that a question costs one cache miss
/// (Putze, Sanders, Singler 2007, "Cache-, Hash- and Space-Efficient Bloom Filters"). A look-up waits for the fold, so
/// that a package of 200 unknown keys should cause none: with 32 bits a key, fewer than one in ten thousand is taken
/// for a known one and looked up in vain. It never denies a key that was inserted.
package struct IdentityFilter: Sendable {
    private static let keysPerBlock = 8
    private static let firstCapacity = 1 << 18
    /// The largest filter, of 16 MB, is never full: beyond its capacity more unknown keys are looked up in vain.
    private static let lastCapacity = 1 << 22

    /// Filters of growing size: keys are hashes, so a full one cannot be enlarged.
    private var segments: [Segment] = []

    private struct Segment: Sendable {
        var blocks: ContiguousArray<SIMD4<UInt64>>
        var count = 0

        init(capacity: Int) {
            blocks = ContiguousArray(repeating: .zero, count: max(1, capacity / IdentityFilter.keysPerBlock))
        }

        var isFull: Bool {
            let capacity = blocks.count * IdentityFilter.keysPerBlock
            return capacity < IdentityFilter.lastCapacity && count >= capacity
        }

        /// The upper third of the hash chooses the block, the rest two bits in each word of it.
        @inline(__always)
        func place(of key: IdentityKey) -> (block: Int, mask: SIMD4<UInt64>) {
            let block = Int(((key.high >> 32) &* UInt64(blocks.count)) >> 32)
            // The first 64 bits alone, since of what was cut off few more are kept; the factor is 2⁶⁴ divided by the golden
            // ratio, which spreads them (Knuth, The Art of Computer Programming, 6.4).
            let bits = SIMD4(repeating: (key.high &* 0x9E37_79B9_7F4A_7C15) &>> 16)
            let first = (bits &>> SIMD4(0, 12, 24, 36)) & 63
            let second = (bits &>> SIMD4(6, 18, 30, 42)) & 63
            return (block, (SIMD4(repeating: 1) &<< first) | (SIMD4(repeating: 1) &<< second))
        }

        mutating func insert(_ key: IdentityKey) {
            let place = place(of: key)
            blocks[place.block] |= place.mask
            count += 1
        }
    }

    /// A filter of all identities that `snapshot` holds; costs a pass over the tables that say which events are known.
    ///
    /// - Throws: ``StoreError`` with code `viewsDamaged` where their rows are not those that were written, since a
    ///   known event whose row is lost would be recorded again.
    package init(_ snapshot: borrowing ViewSnapshot) throws {
        for table in ViewTable.ofKnownEvents where table != .identities { try snapshot.recountDigest(of: table) }
        try snapshot.recountIdentities { insert($0) }
        try snapshot.log.forEachCutIdentity { insert($0) }
    }

    package mutating func insert(_ key: IdentityKey) {
        // By index, which copies no filter.
        if segments.isEmpty || segments[segments.count - 1].isFull {
            segments.append(Segment(capacity: min(Self.firstCapacity << (2 * segments.count), Self.lastCapacity)))
        }
        segments[segments.count - 1].insert(key)
    }

    /// False where the key was certainly never inserted.
    package func mayContain(_ key: IdentityKey) -> Bool {
        segments.contains { segment in
            let place = segment.place(of: key)
            return segment.blocks[place.block] & place.mask == place.mask
        }
    }
}
