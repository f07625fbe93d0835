#if Encryption && canImport(CryptoKit)
internal import CryptoKit
internal import Foundation
#elseif Encryption
internal import MessageStoreCNettle
#endif

/// AES-256-GCM under one key (NIST SP 800-38D), by CryptoKit on Apple's systems and by Nettle elsewhere.
///
/// A nonce may seal one thing alone under a key: whoever seals counts. Threads may share a cipher.
package final class AuthenticatedCipher: @unchecked Sendable {  // The key's schedule does not change.
    /// The bytes that a seal adds.
    package static var tagSize: Int { 16 }
    /// The seals that one key may make: 2³², the least of the bounds that are in use for AES-GCM.
    package static let greatestCount: UInt64 = 1 << 32

    #if Encryption && canImport(CryptoKit)
    private let key: SymmetricKey
    #elseif Encryption
    private let schedule: UnsafeMutablePointer<messagestore_cipher>
    #endif
    /// The list of nonces of a test, and the name of the key in it, from which the key does not follow.
    private let ledger: (note: SecretKey.Ledger, name: UInt64)?

    package init(_ key: SecretKey) {
        ledger = key.ledger.map { note in
            let hash = key.keyedHash(UnsafeRawBufferPointer(start: nil, count: 0))
            return (note, hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
        }
        #if Encryption && canImport(CryptoKit)
        self.key = SymmetricKey(data: key.bytes)
        #elseif Encryption
        schedule = .allocate(capacity: 1)
        messagestore_cipher_set_key(schedule, key.bytes.baseAddress)
        #endif
    }

    deinit {
        #if Encryption && !canImport(CryptoKit)
        SecretKey.overwrite(
            UnsafeMutableRawBufferPointer(start: schedule, count: MemoryLayout<messagestore_cipher>.size))
        schedule.deallocate()
        #endif
    }

    /// Writes bytes sealed, as many as there are, and their tag.
    ///
    /// - Parameters:
    ///   - nonce: A number that the key has not sealed with before.
    ///   - associated: Bytes that stay clear, without which the seal does not open.
    package func seal(
        _ plain: UnsafeRawBufferPointer, nonce: UInt64, associated: UnsafeRawBufferPointer,
        to sealed: UnsafeMutableRawPointer, tag: UnsafeMutableRawPointer
    ) {
        if let ledger { ledger.note(ledger.name, nonce) }
        #if Encryption && canImport(CryptoKit)
        // The call takes every nonce of 12 bytes.
        guard let nonce = try? AES.GCM.Nonce(data: Self.bytes(of: nonce)),
            let box = try? AES.GCM.seal(Data(plain), using: key, nonce: nonce, authenticating: Data(associated))
        else { preconditionFailure("AES-GCM takes nonces of 12 bytes") }
        UnsafeMutableRawBufferPointer(start: sealed, count: plain.count).copyBytes(from: box.ciphertext)
        UnsafeMutableRawBufferPointer(start: tag, count: Self.tagSize).copyBytes(from: box.tag)
        #elseif Encryption
        withUnsafeBytes(of: Self.words(of: nonce)) { nonce in
            messagestore_seal(
                schedule, nonce.baseAddress, associated.baseAddress, associated.count, plain.baseAddress, plain.count,
                sealed, tag)
        }
        #endif
    }

    /// Writes the bytes of a seal, or zeros if it is not one of this key, nonce and associated bytes: then the answer is
    /// false.
    package func open(
        _ sealed: UnsafeRawBufferPointer, tag: UnsafeRawPointer, nonce: UInt64, associated: UnsafeRawBufferPointer,
        to plain: UnsafeMutableRawPointer
    ) -> Bool {
        #if Encryption && canImport(CryptoKit)
        let target = UnsafeMutableRawBufferPointer(start: plain, count: sealed.count)
        guard let nonce = try? AES.GCM.Nonce(data: Self.bytes(of: nonce)),
            let box = try? AES.GCM.SealedBox(
                nonce: nonce, ciphertext: Data(sealed), tag: Data(bytes: tag, count: Self.tagSize)),
            let opened = try? AES.GCM.open(box, using: key, authenticating: Data(associated))
        else {
            for index in target.indices { target[index] = 0 }
            return false
        }
        target.copyBytes(from: opened)
        return true
        #elseif Encryption
        return withUnsafeBytes(of: Self.words(of: nonce)) { nonce in
            messagestore_open(
                schedule, nonce.baseAddress, associated.baseAddress, associated.count, sealed.baseAddress,
                sealed.count, tag, plain) == 1
        }
        #else
        return false
        #endif
    }

    /// The 12 bytes of a nonce: four zeros and the number.
    private static func words(of nonce: UInt64) -> (UInt64, UInt32) {
        ((nonce << 32).littleEndian, UInt32(truncatingIfNeeded: nonce >> 32).littleEndian)
    }

    #if Encryption && canImport(CryptoKit)
    private static func bytes(of nonce: UInt64) -> Data { withUnsafeBytes(of: words(of: nonce)) { Data($0) } }
    #endif
}

extension AuthenticatedCipher {
    /// Whether the package was built with the trait `Encryption`.
    package static var isBuilt: Bool {
        #if Encryption
        true
        #else
        false
        #endif
    }
}

extension SecretKey {
    /// The key that follows from this one, a salt and the words that say what it is for: HKDF-SHA256 (RFC 5869).
    package func derived(salt: [UInt8] = [], info: [UInt8]) -> SecretKey {
        SecretKey(ledger: ledger) { target in
            #if Encryption && canImport(CryptoKit)
            let key = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: bytes), salt: salt, info: info, outputByteCount: Self.byteCount)
            key.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(start: target, count: Self.byteCount).copyBytes(from: $0)
            }
            #elseif Encryption
            messagestore_derive(bytes.baseAddress, bytes.count, salt, salt.count, info, info.count, target)
            #endif
        }
    }

    /// The first 16 bytes of HMAC-SHA256 (RFC 2104): equal for equal bytes, and without the key nothing says for which.
    package func keyedHash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        #if Encryption && canImport(CryptoKit)
        let code = HMAC<SHA256>.authenticationCode(for: Data(bytes), using: SymmetricKey(data: self.bytes))
        return code.withUnsafeBytes { [UInt8]($0.prefix(Self.hashSize)) }
        #elseif Encryption
        return withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { code in
            messagestore_authenticate(
                self.bytes.baseAddress, self.bytes.count, bytes.baseAddress, bytes.count, code.baseAddress)
            return [UInt8](code.prefix(Self.hashSize))
        }
        #else
        return []
        #endif
    }

    private static var hashSize: Int { 16 }
}
