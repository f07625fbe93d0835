/// A growing run of bytes that values are written to, little-endian unless said otherwise.
@_spi(Storage) public struct ByteWriter: ~Copyable {
    @usableFromInline var storage: UnsafeMutableRawBufferPointer
    @usableFromInline var used = 0

    /// The bytes written so far.
    @inlinable public var count: Int { used }

    /// - Parameter capacity: Bytes that fit without another allocation.
    @inlinable public init(capacity: Int = 256) {
        storage = .allocate(byteCount: max(capacity, 16), alignment: 16)
    }

    @inlinable deinit {
        storage.deallocate()
    }

    /// The bytes written so far; valid until the next change.
    public var bytes: RawSpan {
        @inlinable @_lifetime(borrow self)
        get {
            _overrideLifetime(
                RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: storage[..<used])), borrowing: self)
        }
    }

    /// Drops what was written; the room stays.
    @inlinable public mutating func removeAll() {
        used = 0
    }

    /// Drops what was written after the first `count` bytes.
    @inlinable public mutating func truncate(to count: Int) {
        precondition(count >= 0 && count <= used, "a writer cannot be truncated beyond its end")
        used = count
    }

    /// Gives room back, if more than half of it is not used.
    mutating func trim() {
        guard used < storage.count / 2 else { return }
        let smaller = UnsafeMutableRawBufferPointer.allocate(byteCount: max(used, 16), alignment: 16)
        smaller.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<used]))
        storage.deallocate()
        storage = smaller
    }

    /// Appends a number, little-endian.
    @inlinable @inline(__always) public mutating func append<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value)
    {
        let size = MemoryLayout<Value>.size
        if used + size > storage.count { reserve(size) }
        storage.storeBytes(of: value.littleEndian, toByteOffset: count, as: Value.self)
        used += size
    }

    /// Big-endian, so that byte order is number order: for keys.
    @inlinable @inline(__always) public mutating func appendBigEndian<Value: FixedWidthInteger & BitwiseCopyable>(
        _ value: Value
    ) {
        append(value.byteSwapped)
    }

    /// Appends bytes.
    @inlinable public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        if used + bytes.count > storage.count { reserve(bytes.count) }
        UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: bytes)
        used += bytes.count
    }

    /// Appends bytes.
    @inlinable public mutating func append(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Appends bytes.
    @inlinable public mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// A copy of the bytes.
    var copied: [UInt8] { bytes.copied }

    package mutating func append(_ string: String) {
        string.withUTF8Bytes { append($0) }
    }

    /// Appends so many zeros.
    @inlinable public mutating func appendZeros(_ number: Int) {
        precondition(number >= 0, "a number of zeros is not negative")
        reserve(number)
        UnsafeMutableRawBufferPointer(rebasing: storage[count..<count + number]).initializeMemory(
            as: UInt8.self, repeating: 0)
        used += number
    }

    /// Overwrites bytes that were written before.
    @inlinable @inline(__always) public mutating func set<Value: FixedWidthInteger & BitwiseCopyable>(
        _ value: Value, at offset: Int
    ) {
        precondition(
            offset >= 0 && offset + MemoryLayout<Value>.size <= count, "only what was written can be overwritten")
        storage.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
    }

    /// Appends so many bytes, all of which `body` has to write.
    @inline(__always) mutating func append(_ number: Int, _ body: (UnsafeMutableRawPointer) -> Void) {
        reserve(number)
        if let start = storage.baseAddress { body(start + used) }
        used += number
    }

    /// Copies the bytes to memory.
    @inline(__always) func copy(to target: UnsafeMutableRawPointer) {
        if used > 0, let start = storage.baseAddress { target.copyMemory(from: start, byteCount: used) }
    }

    @usableFromInline mutating func reserve(_ number: Int) {
        guard count + number > storage.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(storage.count * 2, count + number), alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        storage.deallocate()
        storage = larger
    }
}

extension UnsafeMutableRawPointer {
    /// Writes a number, little-endian.
    @inline(__always) func set(_ value: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: type(of: value))
    }
}

extension RawSpan {
    /// The little-endian value at `offset`, or nil if the bytes do not reach.
    @_spi(Storage) @inlinable @inline(__always) public func load<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Value.Type
    )
        -> Value?
    {
        guard offset >= 0, offset + MemoryLayout<Value>.size <= byteCount else { return nil }
        return Value(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }

    /// The big-endian value at `offset`, or nil if the bytes do not reach.
    @_spi(Storage) @inlinable @inline(__always) public func loadBigEndian<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Value.Type
    ) -> Value? {
        guard offset >= 0, offset + MemoryLayout<Value>.size <= byteCount else { return nil }
        return Value(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }

    /// A copy of the bytes.
    package var copied: [UInt8] {
        withUnsafeBytes { [UInt8]($0) }
    }

    /// Whether both have the same bytes.
    @_spi(Storage) @inlinable public func isEqual(to other: RawSpan) -> Bool {
        byteCount == other.byteCount
            && withUnsafeBytes { first in other.withUnsafeBytes { ByteOrder.areEqual(first, $0) } }
    }

    /// Compares byte for byte; the shorter of two equal beginnings comes first.
    @_spi(Storage) @inlinable public func precedes(_ other: RawSpan) -> Bool {
        withUnsafeBytes { first in other.withUnsafeBytes { ByteOrder.compare(first, $0) < 0 } }
    }

    /// The bytes as a string; broken UTF-8 becomes U+FFFD.
    package var string: String {
        withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
