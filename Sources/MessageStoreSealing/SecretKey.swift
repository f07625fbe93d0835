#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// 32 secret bytes, which are overwritten when nobody holds the key any more.
package final class SecretKey: @unchecked Sendable {  // The bytes do not change.
    /// How many bytes a key has.
    package static let byteCount = 32

    /// Called with the name of a cipher's key and a nonce before they seal.
    package typealias Ledger = @Sendable (_ key: UInt64, _ nonce: UInt64) -> Void

    /// The bytes, in memory of their own: copies of an array would stay.
    let bytes: UnsafeRawBufferPointer
    /// The list of nonces of a test, of this key and of all that follow from it.
    package let ledger: Ledger?
    /// A copy of the bytes, to be sealed under another key.
    package var exposed: [UInt8] { [UInt8](bytes) }

    /// Makes a key of bytes.
    ///
    /// - Parameter ledger: Notes each nonce that seals, so that a test shows that none comes twice; nil for no list.
    /// - Throws: ``SealingError``: `wrongCount` unless there are 32 bytes, `notBuilt` without the trait `Encryption`.
    package init(_ bytes: some Collection<UInt8>, ledger: Ledger? = nil) throws(SealingError) {
        guard AuthenticatedCipher.isBuilt else { throw .notBuilt }
        guard bytes.count == Self.byteCount else { throw .wrongCount(bytes.count) }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.byteCount, alignment: 16)
        memory.copyBytes(from: bytes)
        self.bytes = UnsafeRawBufferPointer(memory)
        self.ledger = ledger
    }

    /// Makes a key in place.
    init(ledger: Ledger?, filling fill: (UnsafeMutableRawPointer) -> Void) {
        self.ledger = ledger
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.byteCount, alignment: 16)
        memory.baseAddress.map(fill)
        bytes = UnsafeRawBufferPointer(memory)
    }

    deinit {
        let memory = UnsafeMutableRawBufferPointer(mutating: bytes)
        Self.overwrite(memory)
        memory.deallocate()
    }

    /// 32 bytes of the system's random generator.
    package static func random(ledger: Ledger? = nil) throws(SealingError) -> SecretKey {
        try SecretKey(randomBytes(byteCount), ledger: ledger)
    }

    /// Bytes of the system's random generator.
    package static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        while bytes.count < count {
            withUnsafeBytes(of: generator.next()) { bytes += $0.prefix(count - bytes.count) }
        }
        return bytes
    }

    /// Overwrites secret bytes, also where nothing reads them afterwards.
    static func overwrite(_ memory: UnsafeMutableRawBufferPointer) {
        guard let start = memory.baseAddress else { return }
        #if canImport(Darwin)
        memset_s(start, memory.count, 0, memory.count)
        #else
        explicit_bzero(start, memory.count)
        #endif
    }
}

/// The reason for which a key cannot be made.
package enum SealingError: Error, Equatable, Sendable {
    /// The key has another number of bytes than 32.
    case wrongCount(Int)
    /// The package was built without the trait `Encryption`.
    case notBuilt
}
