internal import MessageStoreLMDB

/// The identities that the write buffer holds: key → position.
///
/// Keys are hashes, so entering them into a tree one by one costs a cache miss at every level. They gather in order of
/// arrival instead; whenever ``tailCapacity`` have gathered they become a sorted run, and runs of like length are
/// merged (O'Neil et al. 1996, "The Log-Structured Merge-Tree"). A value: runs never change, so copies share them.
struct IdentityRuns: Sendable {
    static let tailCapacity = 512
    /// Runs are not merged beyond this, which bounds how long a reader may have to wait for a merge.
    static let longestRun = 1 << 16

    /// Sorted, later ones over earlier ones; each longer than twice the next, up to ``longestRun``.
    private var runs: [IdentityRun] = []
    private var tail = IdentityRun(capacity: tailCapacity)

    /// Entries, those included that a later one of the same key hides.
    private(set) var count = 0

    static var bytesPerEntry: Int { MemoryLayout<IdentityRun.Entry>.stride }

    init() {}

    /// The identities of several; keys that they have in common have the same position in all.
    init(joining parts: [IdentityRuns]) {
        count = parts.reduce(0) { $0 + $1.count }
        for part in parts {
            for run in part.runs + [part.tail.sorted] where run.count > 0 {
                runs.append(run)
                mergeRuns()
            }
        }
    }

    mutating func set(_ key: IdentityKey, _ position: UInt64, isNew: Bool = false) {
        if !isKnownUniquelyReferenced(&tail) { tail = tail.copy() }
        tail.append(IdentityRun.Entry(high: key.high, low: key.low, isNew: isNew, position: position))
        count += 1
        guard tail.count == Self.tailCapacity else { return }
        tail.sort()
        runs.append(tail)
        tail = IdentityRun(capacity: Self.tailCapacity)
        mergeRuns()
    }

    /// Merges the last runs, as far as they are of like length.
    private mutating func mergeRuns() {
        while runs.count >= 2, runs[runs.count - 2].count <= 2 * runs[runs.count - 1].count,
            runs[runs.count - 2].count + runs[runs.count - 1].count <= Self.longestRun
        {
            let newer = runs.removeLast()
            let older = runs.removeLast()
            runs.append(IdentityRun(merging: older, under: newer))
        }
    }

    /// The position as eight big-endian bytes; valid as long as these runs are neither changed nor destroyed.
    func lookup(_ key: IdentityKey) -> UnsafeRawBufferPointer? {
        if let found = tail.latest(key) { return found }
        for run in runs.reversed() {
            if let found = run.search(key) { return found }
        }
        return nil
    }

    /// Moves the runs out of the process's own memory, into files that lose their names at once.
    func spilled(in directory: String) throws -> IdentityRuns {
        var spilled = self
        spilled.runs = try runs.map { try $0.spilled(in: directory) }
        return spilled
    }

    /// Checks the order within each run, and that runs are as long as merging leaves them.
    func checkInvariants() throws {
        try BrokenInvariant.check(tail.count < Self.tailCapacity, "the tail is full")
        for run in runs {
            try BrokenInvariant.check(run.count > 0 && run.count <= Self.longestRun, "a run has \(run.count) entries")
            try run.checkKeyOrder()
        }
        for (older, newer) in zip(runs, runs.dropFirst()) {
            try BrokenInvariant.check(
                older.count > 2 * newer.count || older.count + newer.count > Self.longestRun,
                "runs of \(older.count) and \(newer.count) entries are not merged")
        }
        let held = runs.reduce(tail.count) { $0 + $1.count }
        try BrokenInvariant.check(held <= count, "\(held) entries are held of \(count)")
    }

    /// The runs and what came after them.
    var all: [IdentityRun] { runs + [tail] }

    /// The entries whose keys begin with a number of a range, in key order; costs a merge of those.
    func sorted(_ range: ClosedRange<UInt64> = 0 ... .max) -> IdentityRun {
        var all = tail.sorted.part(range)
        for run in runs.reversed() { all = IdentityRun(merging: run.part(range), under: all) }
        return all
    }

    /// Calls `body` with all keys, in no order; with some more than once.
    func forEachKey(_ body: (IdentityKey) -> Void) {
        for run in all {
            for index in 0..<run.count { body(run[index].key) }
        }
    }

    /// Sets the rows whose keys begin with a number of a range in a tree.
    func add(_ range: ClosedRange<UInt64>, to tree: inout RowTree) {
        guard count > 0 else { return }
        let all = sorted(range)
        for index in 0..<all.count { tree.set(all[index]) }
    }
}

extension RowTree {
    /// Sets the row of an identity.
    mutating func set(_ identity: IdentityRun.Entry) {
        withUnsafeBytes(of: (identity.high.bigEndian, identity.low.bigEndian)) { key in
            withUnsafeBytes(of: identity.position) { _ = set(key, $0) }
        }
    }
}

/// Identities side by side in memory: in order of arrival, or sorted.
final class IdentityRun: @unchecked Sendable {  // Changed only while one tail refers to it.
    struct Entry {
        let high: UInt64
        let low: UInt32
        /// Whether no row of the key is below the layer; false also where that is not known.
        private(set) var isNew: Bool
        /// Big-endian, as it is in the row.
        let position: UInt64

        init(high: UInt64, low: UInt32, isNew: Bool = false, position: UInt64) {
            self.high = high
            self.low = low
            self.isNew = isNew
            self.position = position.bigEndian
        }

        /// The entry in the place of an earlier one of its key in the same layer.
        @inline(__always) func replacing(_ older: Entry) -> Entry {
            var entry = self
            entry.isNew = older.isNew
            return entry
        }

        var key: IdentityKey { IdentityKey(high: high, low: low) }

        fileprivate var firstByte: Int { Int(high >> 56) }

        @inline(__always) func hasKey(of other: Entry) -> Bool { high == other.high && low == other.low }

        @inline(__always) func precedes(_ other: Entry) -> Bool {
            high != other.high ? high < other.high : low < other.low
        }
    }

    private let entries: UnsafeMutablePointer<Entry>
    private let capacity: Int
    private(set) var count = 0
    /// The file that holds the entries, if they are not in memory of their own.
    private let file: SpilledBytes?

    init(capacity: Int) {
        entries = .allocate(capacity: max(capacity, 1))
        self.capacity = capacity
        file = nil
    }

    deinit { if file == nil { entries.deallocate() } }

    /// The entries of a sorted run that has some, in a file, where they cannot be changed.
    private init(spilling run: IdentityRun, in directory: String) throws {
        let bytes = UnsafeRawBufferPointer(UnsafeBufferPointer(start: run.entries, count: run.count))
        let file = try SpilledBytes(RawSpan(_unsafeBytes: bytes), in: directory)
        entries = file.address.bindMemory(to: Entry.self, capacity: run.count)
        (capacity, count, self.file) = (run.count, run.count, file)
    }

    /// The same run in a file.
    func spilled(in directory: String) throws -> IdentityRun {
        file == nil ? try IdentityRun(spilling: self, in: directory) : self
    }

    /// The rows of both, sorted; where both have a key, `newer` has it.
    init(merging older: IdentityRun, under newer: IdentityRun) {
        capacity = older.count + newer.count
        entries = .allocate(capacity: max(capacity, 1))
        file = nil
        var (old, new, end) = (0, 0, 0)
        while old < older.count, new < newer.count {
            if !older.entries[old].precedes(newer.entries[new]) {
                var entry = newer.entries[new]
                if older.entries[old].hasKey(of: entry) {
                    entry = entry.replacing(older.entries[old])
                    old += 1
                }
                (entries + end).initialize(to: entry)
                new += 1
            } else {
                (entries + end).initialize(to: older.entries[old])
                old += 1
            }
            end += 1
        }
        (entries + end).initialize(from: older.entries + old, count: older.count - old)
        end += older.count - old
        (entries + end).initialize(from: newer.entries + new, count: newer.count - new)
        count = end + newer.count - new
    }

    func copy() -> IdentityRun {
        let copy = IdentityRun(capacity: capacity)
        copy.entries.initialize(from: entries, count: count)
        copy.count = count
        return copy
    }

    /// A sorted copy of entries in order of arrival.
    var sorted: IdentityRun {
        let sorted = copy()
        sorted.sort()
        return sorted
    }

    /// The entries of a sorted run whose keys begin with a number of a range.
    func part(_ range: ClosedRange<UInt64>) -> IdentityRun {
        guard range != 0 ... .max else { return self }
        let start = firstIndex { $0.high >= range.lowerBound }
        let end = firstIndex { $0.high > range.upperBound }
        let part = IdentityRun(capacity: end - start)
        part.entries.initialize(from: entries + start, count: end - start)
        part.count = end - start
        return part
    }

    /// The first index at which a condition holds that holds for all after it; the count where it holds for no entry.
    @inline(__always)
    private func firstIndex(where condition: (Entry) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) &>> 1
            if condition(entries[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The run must have room.
    func append(_ entry: Entry) {
        precondition(count < capacity, "the run is full")
        (entries + count).initialize(to: entry)
        count += 1
    }

    /// Sorts what came in order of arrival, and keeps the latest of each key.
    ///
    /// Keys are hashes: put in order by their first byte (counting sort) they have not far to go (insertion sort). Both
    /// leave equal keys in their order.
    func sort() {
        let arrived = copy()
        var starts = [Int](repeating: 0, count: 257)
        for index in 0..<count { starts[arrived.entries[index].firstByte + 1] += 1 }
        for byte in 0..<256 { starts[byte + 1] += starts[byte] }
        var ends = starts
        for index in 0..<count {
            let entry = arrived.entries[index]
            var place = ends[entry.firstByte]
            ends[entry.firstByte] += 1
            while place > starts[entry.firstByte], entry.precedes(entries[place - 1]) {
                entries[place] = entries[place - 1]
                place -= 1
            }
            entries[place] = entry
        }
        keepLatest()
    }

    /// Of equal keys side by side keeps the last.
    private func keepLatest() {
        var end = 0
        for index in 0..<count {
            var entry = entries[index]
            if end > 0, entries[end - 1].hasKey(of: entry) {
                end -= 1
                entry = entry.replacing(entries[end])
            }
            entries[end] = entry
            end += 1
        }
        count = end
    }

    /// Looks from the end, in order of arrival.
    func latest(_ key: IdentityKey) -> UnsafeRawBufferPointer? {
        let sought = Entry(high: key.high, low: key.low, position: 0)
        var index = count
        // Four at a time, since nearly all have another key.
        while index >= 4 {
            let four = entries + (index - 4)
            if four[3].high == key.high || four[2].high == key.high || four[1].high == key.high
                || four[0].high == key.high
            {
                break
            }
            index -= 4
        }
        while index > 0 {
            index -= 1
            if entries[index].hasKey(of: sought) { return position(at: index) }
        }
        return nil
    }

    /// Binary search in a sorted run.
    func search(_ key: IdentityKey) -> UnsafeRawBufferPointer? {
        let sought = Entry(high: key.high, low: key.low, position: 0)
        let index = firstIndex { !$0.precedes(sought) }
        return index < count && entries[index].hasKey(of: sought) ? position(at: index) : nil
    }

    private func position(at index: Int) -> UnsafeRawBufferPointer {
        let offset = MemoryLayout<Entry>.offset(of: \.position) ?? 0
        return UnsafeRawBufferPointer(start: UnsafeRawPointer(entries + index) + offset, count: 8)
    }

    subscript(index: Int) -> Entry {
        precondition(index >= 0 && index < count, "the run has no such entry")
        return entries[index]
    }

    /// Checks that each key is there once and less than the next.
    func checkKeyOrder() throws {
        for index in 0..<max(count - 1, 0) {
            try BrokenInvariant.check(
                entries[index].precedes(entries[index + 1]), "entry \(index) of a run is not less than the next")
        }
    }
}
