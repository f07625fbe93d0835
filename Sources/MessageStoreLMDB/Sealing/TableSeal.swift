internal import MessageStoreCLMDB
internal import MessageStoreSealing

/// The parts of a table's values that are sealed.
package struct SealedForm: Sendable {
    /// The checksum that belongs into the first eight bytes of the value of a key.
    package typealias Checksum = @Sendable (_ key: RawSpan, _ value: RawSpan) -> UInt64

    /// The bytes at the beginning of each value that stay clear. They are authenticated, but for a checksum.
    package let clearBytes: Int
    /// The checksum of values that have one: of the stored bytes, so that they are checked without a key, and of the open
    /// ones; nil if they have none.
    package let checksum: Checksum?
    /// How many bytes at the beginning of a key stay clear; nil if keys are stored as they are. See ``HiddenKey``.
    package let clearKeyBytes: (@Sendable (UnsafeRawBufferPointer) -> Int)?

    package init(clearBytes: Int = 0, checksum: Checksum? = nil) {
        self.clearBytes = clearBytes
        self.checksum = checksum
        clearKeyBytes = nil
    }

    /// The form of a table whose keys are hidden after their beginning.
    ///
    /// - Parameter clearKeyBytes: How many bytes at the beginning of a key, or of the beginning of one, stay clear. Bytes
    ///   that stay clear are never the beginning of others that do.
    package init(clearKeyBytes: @escaping @Sendable (UnsafeRawBufferPointer) -> Int) {
        (clearBytes, checksum) = (0, nil)
        self.clearKeyBytes = clearKeyBytes
    }
}

/// Seals the values of one table, and opens them.
///
/// A stored value is the clear bytes, the sealed rest, and a trailer: the number of the opening that sealed it, the number
/// of the seal in that opening, and the tag. The table's name and the key are associated, so that a value is found to be of
/// another place.
final class TableSeal: @unchecked Sendable {  // The beginning does not change.
    /// The beginning of the bytes that each seal is associated with: the lengths of the table's name and of a key, and the name.
    private let beginning: UnsafeMutableRawPointer
    private let beginningCount: Int
    private let form: SealedForm
    /// The key of the hashes in place of hidden parts of keys.
    private let hashKey: SecretKey?
    let known = Locked(KnownKeys())

    /// Of the trailer: two numbers of four bytes, and the tag. A constant here, since a call for each value is slow.
    static let trailerSize = 24
    private static let checksumSize = 8

    /// - Parameter key: The key of the environment.
    init(_ name: String, _ form: SealedForm, _ key: SecretKey) {
        assert(Self.trailerSize == 8 + AuthenticatedCipher.tagSize)
        beginningCount = 4 + name.utf8.count
        beginning = .allocate(byteCount: beginningCount, alignment: 2)
        beginning.storeBytes(of: UInt16(truncatingIfNeeded: name.utf8.count).littleEndian, as: UInt16.self)
        beginning.storeBytes(of: 0, toByteOffset: 2, as: UInt16.self)
        UnsafeMutableRawBufferPointer(start: beginning + 4, count: beginningCount - 4).copyBytes(from: name.utf8)
        self.form = form
        hashKey = form.clearKeyBytes == nil ? nil : key.derived(info: Array("keys of \(name)".utf8))
    }

    deinit { beginning.deallocate() }

    /// Whether stored values have a checksum.
    var hasChecksum: Bool { form.checksum != nil }

    /// Whether parts of keys are hidden, so that they are stored in another order than theirs.
    var hidesKeys: Bool { hashKey != nil }

    /// How many bytes of a key stay clear, or of a stored key.
    func clearCount(of key: UnsafeRawBufferPointer) -> Int {
        min(form.clearKeyBytes?(key) ?? .max, key.count)
    }

    /// The place of a key's row; nil if no part of the key is hidden.
    func hidden(_ key: UnsafeRawBufferPointer) -> HiddenKey? {
        guard let hashKey else { return nil }
        let clear = clearCount(of: key)
        guard clear < key.count else { return nil }
        let rest = UnsafeRawBufferPointer(rebasing: key[clear...])
        return HiddenKey(stored: key[..<clear] + hashKey.keyedHash(key), rest: rest)
    }

    /// Seals a value into the memory that `reserve` answers, of the size of the stored value.
    ///
    /// - Parameter reserve: Called once, with the stored key and the stored value's size; the bytes of the key may be
    ///   elsewhere afterwards.
    func seal(
        _ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, by opening: SealOpening?,
        into reserve: (_ key: UnsafeRawBufferPointer, _ byteCount: Int) throws(LMDBError) -> UnsafeMutableRawPointer?
    ) throws(LMDBError) {
        guard let hidden = hidden(key) else { return try sealWhole(value, for: key, by: opening, into: reserve) }
        let whole = hidden.value(value)
        try whole.span.bytes.withUnsafeBytes { value throws(LMDBError) in
            try hidden.stored.span.bytes.withUnsafeBytes { key throws(LMDBError) in
                try sealWhole(value, for: key, by: opening, into: reserve)
            }
        }
    }

    private func sealWhole(
        _ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, by opening: SealOpening?,
        into reserve: (_ key: UnsafeRawBufferPointer, _ byteCount: Int) throws(LMDBError) -> UnsafeMutableRawPointer?
    ) throws(LMDBError) {
        guard let opening else { preconditionFailure("a transaction without an opening writes a sealed value") }
        guard let number = opening.next() else {
            throw LMDBError(
                .init(rawValue: EOVERFLOW), operation: "seal a value", path: "", detail: "a transaction made 2³² seals")
        }
        let clear = UnsafeRawBufferPointer(start: value.baseAddress, count: min(form.clearBytes, value.count))
        let associated = associated(clear, key, in: opening.associated)
        let byteCount = value.count + Self.trailerSize
        guard let stored = try reserve(key, byteCount) else { return }
        if let start = clear.baseAddress { stored.copyMemory(from: start, byteCount: clear.count) }
        let trailer = stored + value.count
        trailer.storeBytes(of: opening.number.littleEndian, as: UInt32.self)
        trailer.storeBytes(of: UInt32(truncatingIfNeeded: number).littleEndian, toByteOffset: 4, as: UInt32.self)
        Unmanaged.passUnretained(opening.cipher)._withUnsafeGuaranteedRef {
            $0.seal(
                UnsafeRawBufferPointer(
                    start: value.baseAddress.map { $0 + clear.count }, count: value.count - clear.count),
                nonce: number, associated: associated.all, to: stored + clear.count, tag: trailer + 8)
        }
        writeChecksum(of: UnsafeMutableRawBufferPointer(start: stored, count: byteCount), associated.key)
    }

    /// The size of a stored value's bytes once they are open; nil if they are too few for one.
    static func openedSize(_ stored: UnsafeRawBufferPointer) -> Int? {
        stored.count < trailerSize ? nil : stored.count - trailerSize
    }

    /// The number of the opening that sealed a stored value of at least ``trailerSize`` bytes.
    static func opening(of stored: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(littleEndian: stored.loadUnaligned(fromByteOffset: stored.count - trailerSize, as: UInt32.self))
    }

    /// Opens a stored value.
    ///
    /// - Parameters:
    ///   - opened: Memory for ``openedSize(_:)`` bytes.
    ///   - renewsChecksum: Whether the open value gets its own checksum, and not that of the stored bytes.
    ///   - cipher: The cipher of the value's opening, which lives longer than the call; nil if it is not known. Threads
    ///     that count its references would wait for each other.
    ///   - memory: Memory for the associated bytes.
    /// - Returns: Whether the value was sealed for the key, and has its checksum, for which the tag does not vouch.
    func open(
        _ stored: UnsafeRawBufferPointer, of key: UnsafeRawBufferPointer, to opened: UnsafeMutableRawPointer,
        renewsChecksum: Bool = true, by cipher: Unmanaged<AuthenticatedCipher>?, _ memory: ReusedMemory
    ) -> Bool {
        guard let cipher, let size = Self.openedSize(stored), let start = stored.baseAddress, isIntact(stored, of: key)
        else { return false }
        let nonce = UInt32(littleEndian: stored.loadUnaligned(fromByteOffset: size + 4, as: UInt32.self))
        let clear = min(form.clearBytes, size)
        opened.copyMemory(from: start, byteCount: clear)
        let associated = associated(UnsafeRawBufferPointer(start: start, count: clear), key, in: memory)
        let isOpened = cipher._withUnsafeGuaranteedRef {
            $0.open(
                UnsafeRawBufferPointer(start: start + clear, count: size - clear), tag: start + size + 8,
                nonce: UInt64(nonce), associated: associated.all, to: opened + clear)
        }
        guard isOpened, renewsChecksum else { return isOpened }
        writeChecksum(of: UnsafeMutableRawBufferPointer(start: opened, count: size), associated.key)
        return true
    }

    /// Whether a stored value has the checksum that it was written with, or has none.
    func isIntact(_ stored: UnsafeRawBufferPointer, of key: UnsafeRawBufferPointer) -> Bool {
        guard let checksum = form.checksum else { return true }
        return stored.count >= Self.checksumSize
            && stored.loadUnaligned(as: UInt64.self)
                == checksum(RawSpan(_unsafeBytes: key), RawSpan(_unsafeBytes: stored)).littleEndian
    }

    private func writeChecksum(of value: UnsafeMutableRawBufferPointer, _ key: UnsafeRawBufferPointer) {
        guard let checksum = form.checksum, value.count >= Self.checksumSize else { return }
        let sum = checksum(RawSpan(_unsafeBytes: key), RawSpan(_unsafeBytes: UnsafeRawBufferPointer(value)))
        value.storeBytes(of: sum.littleEndian, as: UInt64.self)
    }

    /// Writes the associated bytes of a seal into memory: the table's name, the key, and the clear bytes but for a checksum.
    ///
    /// - Returns: All of them, and the key among them.
    private func associated(
        _ clear: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, in memory: ReusedMemory
    ) -> (all: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) {
        let skipped = hasChecksum ? min(Self.checksumSize, clear.count) : 0
        let count = beginningCount + key.count + clear.count - skipped
        let bytes = memory.reserve(count)
        bytes.copyMemory(from: beginning, byteCount: beginningCount)
        bytes.storeBytes(of: UInt16(truncatingIfNeeded: key.count).littleEndian, toByteOffset: 2, as: UInt16.self)
        let end = bytes + beginningCount
        if let start = key.baseAddress { end.copyMemory(from: start, byteCount: key.count) }
        if let start = clear.baseAddress {
            (end + key.count).copyMemory(from: start + skipped, byteCount: clear.count - skipped)
        }
        return (.init(start: bytes, count: count), .init(start: end, count: key.count))
    }
}
