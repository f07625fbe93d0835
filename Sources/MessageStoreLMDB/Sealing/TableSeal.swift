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
    private let beginning: UnsafeMutableRawBufferPointer
    private let form: SealedForm
    /// The key of the hashes in place of hidden parts of keys.
    private let hashKey: SecretKey?
    let known = Locked(KnownKeys())

    /// Of the trailer: two numbers of four bytes, and the tag.
    static var trailerSize: Int { 8 + AuthenticatedCipher.tagSize }
    private static let checksumSize = 8

    /// - Parameter key: The key of the environment.
    init(_ name: String, _ form: SealedForm, _ key: SecretKey) {
        beginning = .allocate(byteCount: 4 + name.utf8.count, alignment: 2)
        beginning.storeBytes(of: UInt16(truncatingIfNeeded: name.utf8.count).littleEndian, as: UInt16.self)
        beginning.storeBytes(of: 0, toByteOffset: 2, as: UInt16.self)
        UnsafeMutableRawBufferPointer(rebasing: beginning[4...]).copyBytes(from: name.utf8)
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
        var failure: LMDBError?
        hidden.value(value).withUnsafeBytes { value in
            hidden.stored.withUnsafeBytes { key in
                do throws(LMDBError) { try sealWhole(value, for: key, by: opening, into: reserve) } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
    }

    private func sealWhole(
        _ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, by opening: SealOpening?,
        into reserve: (_ key: UnsafeRawBufferPointer, _ byteCount: Int) throws(LMDBError) -> UnsafeMutableRawPointer?
    ) throws(LMDBError) {
        guard let opening else { preconditionFailure("a transaction without an opening writes a sealed value") }
        let clear = min(form.clearBytes, value.count)
        guard let number = opening.next() else {
            throw LMDBError(
                .init(rawValue: EOVERFLOW), operation: "seal a value", path: "", detail: "a transaction made 2³² seals")
        }
        var failure: LMDBError?
        withAssociated(value[..<clear], key) { associated, ownKey in
            do throws(LMDBError) {
                let byteCount = value.count + Self.trailerSize
                guard let stored = try reserve(key, byteCount) else { return }
                let sealed = UnsafeRawBufferPointer(rebasing: value[clear...])
                let trailer = stored + value.count
                UnsafeMutableRawBufferPointer(start: stored, count: clear).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: value[..<clear]))
                trailer.storeBytes(of: opening.number.littleEndian, as: UInt32.self)
                trailer.storeBytes(
                    of: UInt32(truncatingIfNeeded: number).littleEndian, toByteOffset: 4, as: UInt32.self)
                opening.cipher.seal(
                    sealed, nonce: number, associated: associated, to: stored + clear, tag: trailer + 8)
                writeChecksum(of: UnsafeMutableRawBufferPointer(start: stored, count: byteCount), ownKey)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
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
    ///   - cipher: Answers the cipher of the opening with a number, which lives longer than the call; nil if there is no such
    ///     opening. Threads that count its references would wait for each other.
    /// - Returns: Whether the value was sealed for the key, and has its checksum, for which the tag does not vouch.
    func open(
        _ stored: UnsafeRawBufferPointer, of key: UnsafeRawBufferPointer, to opened: UnsafeMutableRawPointer,
        renewsChecksum: Bool = true, by cipher: (_ opening: UInt32) -> Unmanaged<AuthenticatedCipher>?
    ) -> Bool {
        guard let size = Self.openedSize(stored), let start = stored.baseAddress, isIntact(stored, of: key)
        else { return false }
        let clear = min(form.clearBytes, size)
        let nonce = UInt32(littleEndian: stored.loadUnaligned(fromByteOffset: size + 4, as: UInt32.self))
        guard let cipher = cipher(Self.opening(of: stored)) else { return false }
        opened.copyMemory(from: start, byteCount: clear)
        return withAssociated(stored[..<clear], key) { associated, ownKey in
            let sealed = UnsafeRawBufferPointer(rebasing: stored[clear..<size])
            let isOpened = cipher._withUnsafeGuaranteedRef {
                $0.open(sealed, tag: start + size + 8, nonce: UInt64(nonce), associated: associated, to: opened + clear)
            }
            guard isOpened else { return false }
            if renewsChecksum { writeChecksum(of: UnsafeMutableRawBufferPointer(start: opened, count: size), ownKey) }
            return true
        }
    }

    /// Whether a stored value has the checksum that it was written with, or has none.
    func isIntact(_ stored: UnsafeRawBufferPointer, of key: UnsafeRawBufferPointer) -> Bool {
        guard let checksum = form.checksum else { return true }
        return stored.count >= Self.checksumSize
            && stored.loadUnaligned(as: UInt64.self)
                == checksum(RawSpan(_unsafeBytes: key), RawSpan(_unsafeBytes: stored)).littleEndian
    }

    private func writeChecksum(of value: UnsafeMutableRawBufferPointer, _ key: RawSpan) {
        guard let checksum = form.checksum, value.count >= Self.checksumSize else { return }
        let sum = checksum(key, RawSpan(_unsafeBytes: UnsafeRawBufferPointer(value)))
        value.storeBytes(of: sum.littleEndian, as: UInt64.self)
    }

    /// Calls `body` with what is associated with a seal: the table's name, the key, and the clear bytes; and with the key
    /// in them.
    private func withAssociated<Result>(
        _ clear: Slice<UnsafeRawBufferPointer>, _ key: UnsafeRawBufferPointer,
        _ body: (_ associated: UnsafeRawBufferPointer, _ key: RawSpan) -> Result
    ) -> Result {
        let clear = clear.dropFirst(form.checksum == nil ? 0 : Self.checksumSize)
        let keyStart = beginning.count
        let count = keyStart + key.count + clear.count
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { bytes in
            bytes.copyMemory(from: UnsafeRawBufferPointer(beginning))
            bytes.storeBytes(of: UInt16(truncatingIfNeeded: key.count).littleEndian, toByteOffset: 2, as: UInt16.self)
            UnsafeMutableRawBufferPointer(rebasing: bytes[keyStart...]).copyMemory(from: key)
            UnsafeMutableRawBufferPointer(rebasing: bytes[(keyStart + key.count)...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: clear))
            let associated = UnsafeRawBufferPointer(bytes)
            let ownKey = UnsafeRawBufferPointer(rebasing: associated[keyStart..<keyStart + key.count])
            return body(associated, RawSpan(_unsafeBytes: ownKey))
        }
    }
}
