internal import MessageStoreLMDB
package import MessageStoreSealing

/// Gives the 32 secret bytes under which the files of a store are sealed.
///
/// ```swift
/// configuration.privacy.key = KeySource { try keychain.key(of: "messages") }
/// ```
///
/// The bytes come from a random generator, once for each store; `Docs/Encryption.md` shows how an app keeps them, and how
/// it makes them of a pass phrase.
public struct KeySource: Sendable {
    private let bytes: @Sendable () throws -> [UInt8]
    private let ledger: SecretKey.Ledger?

    /// Names the way to the key.
    ///
    /// - Parameter bytes: Answers the key, or throws if it cannot be had now. It is called on the thread that opens the
    ///   store, at each opening, and does not use the store.
    public init(_ bytes: @escaping @Sendable () throws -> [UInt8]) { self.init(ledger: nil, bytes) }

    /// - Parameter ledger: Notes each nonce that seals, for tests.
    package init(ledger: SecretKey.Ledger?, _ bytes: @escaping @Sendable () throws -> [UInt8]) {
        (self.bytes, self.ledger) = (bytes, ledger)
    }

    /// The key that the host gives.
    ///
    /// - Parameter path: The store, the inbox or the lens, for errors.
    /// - Throws: ``StoreError``: `keyUnavailable` if the host throws, or without the trait `Encryption`; `keyRefused`
    ///   unless there are 32 bytes.
    package func secretKey(for path: String) throws -> SecretKey {
        let bytes: [UInt8]
        do { bytes = try self.bytes() } catch {
            throw StoreError(.keyUnavailable, "the host has no key now: \(type(of: error))", path: path)
        }
        do { return try SecretKey(bytes, ledger: ledger) } catch {
            switch error {
            case .wrongCount(let count):
                throw StoreError(.keyRefused, "a key has \(SecretKey.byteCount) bytes, not \(count)", path: path)
            case .notBuilt:
                throw StoreError(.keyUnavailable, "the package was built without the trait Encryption", path: path)
            }
        }
    }
}

/// A small file that is sealed as a whole, such as a lens: a line that says so, the XXH64 of the sealed bytes, and these.
///
/// The checksum finds damage without a key, so that a wrong key is not taken for it.
package enum SealedFile {
    private static let magic = Array("messagestore-sealed\n".utf8)
    private static let checksumSize = 8

    /// Whether bytes are such a file, whole or not.
    package static func isSealed(_ bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: magic) }

    /// The bytes that a file takes more than its content.
    package static let overhead = magic.count + checksumSize + SecretKey.sealSize

    /// - Parameter name: The kind of the file, and what else it cannot be exchanged with.
    package static func seal(_ content: [UInt8], _ name: String, _ key: SecretKey) -> [UInt8] {
        let sealed = key.sealed(content, associated: Array(name.utf8))
        return magic + checksum(of: sealed) + sealed
    }

    private static func checksum(of sealed: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: XXH64.hash(sealed.span.bytes).bigEndian) { [UInt8]($0) }
    }

    /// The content of a file.
    ///
    /// - Returns: nil for a damaged file.
    /// - Throws: ``StoreError`` with code `keyUnavailable` without a key, `keyRefused` for another one than the file's.
    package static func open(
        _ bytes: [UInt8], _ name: String, _ key: SecretKey?, path: String
    ) throws(StoreError) -> [UInt8]? {
        let sealed = bytes.dropFirst(magic.count + checksumSize)
        guard isSealed(bytes), !sealed.isEmpty,
            bytes[magic.count..<magic.count + checksumSize]
                .elementsEqual(checksum(of: Array(sealed)))
        else { return nil }
        guard let key else { throw StoreError(.keyUnavailable, "the file is sealed, and no key is given", path: path) }
        let opened = Array(sealed).withUnsafeBytes { sealed in
            Array(name.utf8).withUnsafeBytes { key.opened(sealed, associated: $0) }
        }
        guard let opened else { throw StoreError(.keyRefused, "the file is not sealed under the key", path: path) }
        return opened
    }
}
