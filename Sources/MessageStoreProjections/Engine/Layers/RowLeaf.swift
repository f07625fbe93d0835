@_spi(Storage) internal import MessageStoreLog

/// Up to 64 rows in key order: the leaves of a ``RowTree``.
///
/// A row is a cell in a growing heap; `prefixes` holds the beginning of each key as a number,
/// so that a search seldom touches the heap.
final class RowLeaf: @unchecked Sendable {  // Changed only while one tree refers to it (copy on write).
    static let capacity = 64
    private static let cellHeader = 12
    /// One block for header, prefixes and cells: a search touches few cache lines.
    private static let prefixOffset = 64
    private static let cellOffset = prefixOffset + capacity * MemoryLayout<KeyPrefix>.stride
    private static let blockSize = cellOffset + capacity * MemoryLayout<UInt32>.stride
    private static let deleted = UInt32.max

    /// The changing parts; the pointer to them spares the exclusivity checks of class properties.
    private struct Header {
        var count = 0
        var heap: UnsafeMutableRawBufferPointer
        var heapUsed = 0
        /// Bytes of the heap that no cell uses any more.
        var garbage = 0
    }

    private let header: UnsafeMutablePointer<Header>
    private let prefixes: UnsafeMutablePointer<KeyPrefix>
    private let cells: UnsafeMutablePointer<UInt32>

    init(heapCapacity: Int = 1024) {
        let block = UnsafeMutableRawPointer.allocate(byteCount: Self.blockSize, alignment: 64)
        header = block.bindMemory(to: Header.self, capacity: 1)
        header.initialize(to: Header(heap: .allocate(byteCount: heapCapacity, alignment: 8)))
        prefixes = (block + Self.prefixOffset).bindMemory(to: KeyPrefix.self, capacity: Self.capacity)
        cells = (block + Self.cellOffset).bindMemory(to: UInt32.self, capacity: Self.capacity)
    }

    deinit {
        header.pointee.heap.deallocate()
        UnsafeMutableRawPointer(header).deallocate()
    }

    private(set) var count: Int {
        get { header.pointee.count }
        set { header.pointee.count = newValue }
    }

    private var heap: UnsafeMutableRawBufferPointer { header.pointee.heap }

    /// Bytes of the heap that a leaf in which rows are put has free at first.
    static let room = 512

    /// A copy of the rows in `range`, without garbage, that has so many bytes free.
    func copy(_ range: Range<Int>, room: Int) -> RowLeaf {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "the rows to copy are not in the leaf")
        var size = room
        for index in range { size += cellSize(at: index) }
        let leaf = RowLeaf(heapCapacity: size)
        leaf.header.pointee.heapUsed = copyCells(range, to: leaf.heap, leaf.cells)
        leaf.prefixes.update(from: prefixes + range.lowerBound, count: range.count)
        leaf.count = range.count
        return leaf
    }

    /// Copies the cells of rows, one after the other, to the beginning of a heap that has room for them.
    ///
    /// - Parameter places: Gets where they are.
    /// - Returns: How many bytes they take.
    private func copyCells(
        _ range: Range<Int>, to target: UnsafeMutableRawBufferPointer, _ places: UnsafeMutablePointer<UInt32>
    ) -> Int {
        var (index, end) = (range.lowerBound, 0)
        while index < range.upperBound {
            // Cells of rows that were put in one after the other are copied together.
            let (start, first) = (Int(cells[index]), end)
            repeat {
                let size = cellSize(at: index)
                places[index - range.lowerBound] = UInt32(end)
                (index, end) = (index + 1, end + size)
            } while index < range.upperBound && Int(cells[index]) == start + end - first
            UnsafeMutableRawBufferPointer(rebasing: target[first...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: heap[start..<start + end - first]))
        }
        return end
    }

    /// Drops the rows from `index` on, and gives their room back.
    func truncate(to index: Int) {
        precondition(index >= 0 && index <= count, "a leaf cannot be truncated beyond its end")
        guard index < count else { return }
        for index in index..<count { header.pointee.garbage += cellSize(at: index) }
        count = index
        compact(into: header.pointee.heapUsed - header.pointee.garbage)
    }

    /// Whether the rows before `index` seem to have been inserted one after the other, which then goes on: each of the
    /// last four has its cell after that of the row before it. Of rows in random order, one place in 24 is like that.
    func rowsAscend(to index: Int) -> Bool {
        guard index < count else { return true }
        return index >= 4 && (index - 3..<index).allSatisfy { cells[$0 - 1] < cells[$0] }
    }

    /// The bytes of a row's cell in the heap.
    private func cellSize(at index: Int) -> Int {
        let cell = Int(cells[index])
        return Self.cellHeader + Int(heap.loadUnaligned(fromByteOffset: cell, as: UInt16.self))
            + Int(heap.loadUnaligned(fromByteOffset: cell + 8, as: UInt32.self))
    }

    var isFull: Bool { count == Self.capacity }
    /// Bytes of memory that the leaf takes.
    var byteCount: Int { Self.blockSize + heap.count }
    var firstPrefix: KeyPrefix { prefixes[0] }

    /// One comparison: as an unsigned number, an index below zero is greater than every count.
    @inline(__always) private func hasRow(at index: Int) -> Bool { UInt(bitPattern: index) < UInt(bitPattern: count) }

    /// The row's key.
    func key(at index: Int) -> UnsafeRawBufferPointer {
        precondition(hasRow(at: index), "the leaf has no such row")
        return uncheckedKey(at: index)
    }

    /// The key of a row that is known to be there.
    private func uncheckedKey(at index: Int) -> UnsafeRawBufferPointer {
        let cell = Int(cells[index])
        let length = Int(heap.loadUnaligned(fromByteOffset: cell, as: UInt16.self))
        return UnsafeRawBufferPointer(rebasing: heap[cell + Self.cellHeader..<cell + Self.cellHeader + length])
    }

    /// The row's value; nil if the row was deleted.
    func value(at index: Int) -> UnsafeRawBufferPointer? {
        precondition(hasRow(at: index), "the leaf has no such row")
        let cell = Int(cells[index])
        let length = heap.loadUnaligned(fromByteOffset: cell + 4, as: UInt32.self)
        guard length != Self.deleted else { return nil }
        let start = cell + Self.cellHeader + Int(heap.loadUnaligned(fromByteOffset: cell, as: UInt16.self))
        return UnsafeRawBufferPointer(rebasing: heap[start..<start + Int(length)])
    }

    /// The index of the first row whose key is not less than `key`, and whether it has that key.
    func search(_ key: UnsafeRawBufferPointer, prefix: KeyPrefix) -> (index: Int, isEqual: Bool) {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) &>> 1
            let order = compare(at: middle, key, prefix: prefix)
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    /// Whether a key of this prefix sorts right before the row at `index` and after the one before it; false also if
    /// only the whole key decides.
    func isBetweenRows(_ index: Int, _ prefix: KeyPrefix) -> Bool {
        guard index > 0, index <= count, prefixes[index - 1] < prefix else { return false }
        return index == count || prefix < prefixes[index]
    }

    /// Below 0, 0 or above 0 as the key of a row that is known to be there is less than, equal to or greater than
    /// `key`.
    func compare(at index: Int, _ key: UnsafeRawBufferPointer, prefix: KeyPrefix) -> Int {
        let own = prefixes[index]
        if own != prefix { return own < prefix ? -1 : 1 }
        return ByteOrder.compare(uncheckedKey(at: index), key)
    }

    /// Puts a row at `index`, which must be its place. The leaf must not be full.
    func insert(prefix: KeyPrefix, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?, at index: Int) {
        precondition(!isFull && UInt(bitPattern: index) <= UInt(bitPattern: count), "the leaf has no room there")
        assert(isPlace(index, of: key, prefix: prefix), "a row must be inserted in the order of keys")
        let cell = write(key: key, value: value)
        let moved = count - index
        if moved > 0 {
            (prefixes + index + 1).update(from: prefixes + index, count: moved)
            (cells + index + 1).update(from: cells + index, count: moved)
        }
        prefixes[index] = prefix
        cells[index] = UInt32(cell)
        count += 1
    }

    /// Replaces the value of the row at `index`; nil marks it deleted.
    func update(at index: Int, value: UnsafeRawBufferPointer?) {
        precondition(hasRow(at: index), "the leaf has no such row")
        let cell = Int(cells[index])
        let keyLength = Int(heap.loadUnaligned(fromByteOffset: cell, as: UInt16.self))
        let capacity = Int(heap.loadUnaligned(fromByteOffset: cell + 8, as: UInt32.self))
        if (value?.count ?? 0) <= capacity {
            heap.storeBytes(of: value.map { UInt32($0.count) } ?? Self.deleted, toByteOffset: cell + 4, as: UInt32.self)
            if let value, !value.isEmpty {
                UnsafeMutableRawBufferPointer(rebasing: heap[(cell + Self.cellHeader + keyLength)...]).copyMemory(
                    from: value)
            }
            return
        }
        // The key is read from the heap that `write` may move: keep a copy.
        let key = [UInt8](self.key(at: index))
        let size = cellSize(at: index)
        cells[index] = UInt32(key.withUnsafeBytes { write(key: $0, value: value) })
        // Only now: where `write` moved the cells together, it kept the old one, which was still in use.
        header.pointee.garbage += size
    }

    /// Whether a row with this key belongs in front of the row at `index`.
    private func isPlace(_ index: Int, of key: UnsafeRawBufferPointer, prefix: KeyPrefix) -> Bool {
        prefix == ByteOrder.prefix(of: key)
            && (index == 0 || compare(at: index - 1, key, prefix: prefix) < 0)
            && (index == count || compare(at: index, key, prefix: prefix) > 0)
    }

    private func write(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?) -> Int {
        let length = value?.count ?? 0
        let size = Self.cellHeader + key.count + length
        if header.pointee.heapUsed + size > heap.count { growHeap(by: size) }
        let cell = header.pointee.heapUsed
        guard let start = heap.baseAddress.map({ $0 + cell }) else { return cell }
        start.storeBytes(of: UInt16(key.count), as: UInt16.self)
        start.storeBytes(of: value == nil ? Self.deleted : UInt32(length), toByteOffset: 4, as: UInt32.self)
        start.storeBytes(of: UInt32(length), toByteOffset: 8, as: UInt32.self)
        if let bytes = key.baseAddress { (start + Self.cellHeader).copyMemory(from: bytes, byteCount: key.count) }
        if let bytes = value?.baseAddress {
            (start + Self.cellHeader + key.count).copyMemory(from: bytes, byteCount: length)
        }
        header.pointee.heapUsed = cell &+ size
        return cell
    }

    /// Moves the cells of rows together, in a heap of so many bytes.
    private func compact(into byteCount: Int) {
        let target = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 8)
        let used = copyCells(0..<count, to: target, cells)
        heap.deallocate()
        header.pointee.heap = target
        header.pointee.heapUsed = used
        header.pointee.garbage = 0
    }

    private func growHeap(by size: Int) {
        if header.pointee.garbage > heap.count / 4 { compact(into: heap.count) }
        let used = header.pointee.heapUsed
        guard used + size > heap.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(heap.count + heap.count / 2, used + size), alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: heap[..<used]))
        heap.deallocate()
        header.pointee.heap = larger
    }
}

extension RowLeaf {
    /// Checks that keys ascend and agree with their prefixes, and that cells and garbage fill the used part of the
    /// heap.
    func checkInvariants() throws {
        try BrokenInvariant.check(count > 0 && count <= Self.capacity, "a leaf has \(count) rows")
        var used = header.pointee.garbage
        for index in 0..<count {
            let cell = Int(cells[index])
            let length = heap.loadUnaligned(fromByteOffset: cell + 4, as: UInt32.self)
            let capacity = heap.loadUnaligned(fromByteOffset: cell + 8, as: UInt32.self)
            let size = Self.cellHeader + key(at: index).count + Int(capacity)
            try BrokenInvariant.check(
                cell + size <= header.pointee.heapUsed, "cell \(index) ends behind the used part of the heap")
            try BrokenInvariant.check(
                length == Self.deleted || length <= capacity, "the value of cell \(index) is longer than its room")
            try BrokenInvariant.check(
                prefixes[index] == ByteOrder.prefix(of: key(at: index)), "prefix \(index) is not that of its key")
            try BrokenInvariant.check(
                index == 0 || ByteOrder.compare(key(at: index - 1), key(at: index)) < 0, "key \(index) does not ascend")
            used += size
        }
        try BrokenInvariant.check(
            used == header.pointee.heapUsed, "cells and garbage take \(used) of \(header.pointee.heapUsed) bytes")
        try BrokenInvariant.check(header.pointee.heapUsed <= heap.count, "more of the heap is used than there is")
    }
}

/// An invariant of the write buffer that does not hold.
///
/// Files, inputs and hosts cannot cause this: it is an error of this library. Debug builds trap on it.
package struct BrokenInvariant: Error, CustomStringConvertible {
    package let description: String

    static func check(_ holds: Bool, _ invariant: @autoclosure () -> String) throws {
        if !holds { throw BrokenInvariant(description: "broken invariant: " + invariant()) }
    }
}
