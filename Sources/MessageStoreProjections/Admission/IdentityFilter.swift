internal import MessageStoreLMDB
@_spi(Storage) package import MessageStoreLog

/// Says at once of most identities that the store does not know them, without a look at the index.
///
/// A Bloom filter (Bloom 1970) whose eight bits a key lie in one block of 256, so that a question costs one cache miss
/// (Putze, Sanders, Singler 2007, "Cache-, Hash- and Space-Efficient Bloom Filters"). A look-up waits for the fold, so
/// that a package of 200 unknown keys should cause none: with 32 bits a key, fewer than one in ten thousand is taken
/// for a known one and looked up in vain. It never denies a key that was inserted.
///
/// A class, so that a question costs one reference.
package final class IdentityFilter: @unchecked Sendable {  // The filter's owner calls one function at a time.
    /// How many keys each part takes: keys are hashes, so a full part cannot be enlarged. The last is never full; with
    /// 85 million keys and more, unknown ones are looked up in vain more often.
    static let capacities = [1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26]
    /// The larger parts lie in files.
    private static let countInMemory = 3

    private let capacities: [Int]

    /// Through a pointer, to spare the exclusivity checks of class properties.
    private let segments: UnsafeMutablePointer<[Segment]>
    /// The directory of parts' files, which lose their names at once; nil for none.
    private var directory: String?

    private final class Blocks {
        let address: UnsafeMutablePointer<SIMD4<UInt64>>
        /// The file that holds the blocks, if they are not in memory of their own.
        private let file: SpilledBytes?

        /// - Throws: `FileError` where there is no room for a file.
        init(_ count: Int, in directory: String?) throws {
            file = try directory.map {
                try SpilledBytes(zeros: count * MemoryLayout<SIMD4<UInt64>>.stride, in: $0)
            }
            if let file {
                address = file.address.bindMemory(to: SIMD4<UInt64>.self, capacity: count)
            } else {
                address = .allocate(capacity: count)
                address.initialize(repeating: .zero, count: count)
            }
        }

        deinit { if file == nil { address.deallocate() } }
    }

    private struct Segment {
        private let blocks: Blocks
        private let blockCount: Int
        private let capacity: Int
        private(set) var count = 0

        /// - Throws: `FileError` where there is no room for a file.
        init(capacity: Int, keysPerBlock: Int, in directory: String?) throws {
            self.capacity = capacity
            blockCount = capacity / keysPerBlock
            blocks = try Blocks(blockCount, in: directory)
        }

        var isFull: Bool { count >= capacity }

        /// The upper third of the hash chooses the block, the rest two bits in each word of it.
        @inline(__always)
        func place(of key: IdentityKey) -> (block: Int, mask: SIMD4<UInt64>) {
            let block = Int(((key.high >> 32) &* UInt64(blockCount)) >> 32)
            // The first 64 bits alone, since few more are kept of records that were cut off; the factor is 2⁶⁴ divided
            // by the golden ratio, which spreads them (Knuth, The Art of Computer Programming, 6.4).
            let bits = SIMD4(repeating: (key.high &* 0x9E37_79B9_7F4A_7C15) &>> 16)
            let first = (bits &>> SIMD4(0, 12, 24, 36)) & 63
            let second = (bits &>> SIMD4(6, 18, 30, 42)) & 63
            return (block, (SIMD4(repeating: 1) &<< first) | (SIMD4(repeating: 1) &<< second))
        }

        mutating func insert(_ key: IdentityKey) {
            let place = place(of: key)
            blocks.address[place.block] |= place.mask
            count += 1
        }

        @inline(__always)
        func prefetch(_ key: IdentityKey) { UnsafeRawPointer(blocks.address + place(of: key).block).prefetch() }

        @inline(__always)
        func mayContain(_ key: IdentityKey) -> Bool {
            let place = place(of: key)
            return blocks.address[place.block] & place.mask == place.mask
        }
    }

    /// A filter of all identities that `snapshot` holds; costs a pass over the tables that say which events are known.
    ///
    /// - Parameter directory: The directory for a file of the filter's large part; nil for none.
    /// - Throws: ``StoreError`` with code `viewsDamaged` if their rows are not the ones written, since a known event
    ///   whose row is lost would be recorded again.
    package convenience init(_ snapshot: borrowing ViewSnapshot, in directory: String?) throws {
        self.init(in: directory)
        // A crash may have left one.
        if let directory { try? FileSystem.remove(directory + "/" + SpilledBytes.name) }
        for table in ViewTable.ofKnownEvents where table != .identities { try snapshot.recountDigest(of: table) }
        try snapshot.recountIdentities { insert($0) }
        try snapshot.log.forEachCutIdentity { insert($0) }
    }

    /// An empty filter.
    init(in directory: String?, capacities: [Int] = IdentityFilter.capacities) {
        self.capacities = capacities
        self.directory = directory
        segments = .allocate(capacity: 1)
        segments.initialize(to: [])
    }

    deinit {
        segments.deinitialize(count: 1)
        segments.deallocate()
    }

    package func insert(_ key: IdentityKey) {
        if segments.pointee.last?.isFull ?? true { addSegment() }
        segments.pointee[segments.pointee.count - 1].insert(key)
    }

    /// If there is no room for a file, the last part takes more keys.
    private func addSegment() {
        let isLarge = segments.pointee.count >= Self.countInMemory
        guard segments.pointee.count < capacities.count, !isLarge || directory != nil else { return }
        let isLast = segments.pointee.count == capacities.count - 1
        do {
            segments.pointee.append(
                try Segment(
                    capacity: capacities[segments.pointee.count], keysPerBlock: isLast ? 16 : 8,
                    in: isLarge ? directory : nil))
        } catch { directory = nil }
    }

    /// Begins to load what the answer to a question about the key needs: of a large store it is in no cache.
    func prefetch(_ key: IdentityKey) {
        for index in segments.pointee.indices { segments.pointee[index].prefetch(key) }
    }

    /// False if the key was certainly never inserted.
    package func mayContain(_ key: IdentityKey) -> Bool {
        for index in segments.pointee.indices where segments.pointee[index].mayContain(key) { return true }
        return false
    }
}
