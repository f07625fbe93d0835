import MessageStoreSealing
import Testing

struct Vector: Sendable {
    let key: [UInt8]
    let nonce: UInt64
    let associated: [UInt8]
    let plain: [UInt8]
    let sealed: [UInt8]
    let tag: [UInt8]
}

let vectors: [Vector] = [
    // McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 13 and 14.
    Vector(
        key: zeros(32), nonce: 0, associated: [], plain: [], sealed: [],
        tag: hex("530f8afbc74536b9a963b4f1c4cb738b")),
    Vector(
        key: zeros(32), nonce: 0, associated: [], plain: zeros(16), sealed: hex("cea7403d4d606b6e074ec5d3baf39d18"),
        tag: hex("d0d1c8a799996bf0265b98b5d48ab919")),
    // With associated bytes and a nonce that counts: made with OpenSSL 3.0.22.
    Vector(
        key: Array(0..<32), nonce: 0x0123_4567_89AB_CDEF, associated: Array(100..<137),
        plain: (0..<100).map { UInt8(truncatingIfNeeded: $0 * 7) },
        sealed: hex(
            "6a59673761f56eb711110982a82c1970bcf71e1ec270a7c46a803e3edc9653300984bdf1cbc27c5c93c6857de5e8a6ab"
                + "3a5e085103d2fcebff733a0a077dcfd19c794d59abe7e81237f4171da20fc93d72047bbd10d99b1cbe63bb7d0d3fea8e"
                + "a7ea55a7"),
        tag: hex("20d12cb5f572a5076858ac34474aa14e")),
]

@Suite("AES-256-GCM, HKDF and HMAC by the vectors of their documents", .enabled(if: AuthenticatedCipher.isBuilt))
struct AuthenticatedCipherTests {
    @Test("seals are those of the vectors, and open", arguments: vectors)
    func known(vector: Vector) throws {
        let cipher = AuthenticatedCipher(try SecretKey(vector.key))
        let (sealed, tag) = seal(vector.plain, vector.nonce, vector.associated, cipher)
        #expect(sealed == vector.sealed)
        #expect(tag == vector.tag)
        #expect(open(sealed, tag, vector.nonce, vector.associated, cipher) == vector.plain)
    }

    @Test("one bit less or more anywhere, and a seal does not open; no byte of it is answered")
    func bits() throws {
        let vector = try #require(vectors.last)
        let cipher = AuthenticatedCipher(try SecretKey(vector.key))
        for bit in 0..<8 * vector.sealed.count {
            #expect(open(flipped(vector.sealed, bit), vector.tag, vector.nonce, vector.associated, cipher) == nil)
        }
        for bit in 0..<8 * vector.tag.count {
            #expect(open(vector.sealed, flipped(vector.tag, bit), vector.nonce, vector.associated, cipher) == nil)
        }
        for bit in 0..<8 * vector.associated.count {
            #expect(open(vector.sealed, vector.tag, vector.nonce, flipped(vector.associated, bit), cipher) == nil)
        }
        for bit in 0..<64 {
            #expect(open(vector.sealed, vector.tag, vector.nonce ^ 1 << bit, vector.associated, cipher) == nil)
        }
        for bit in 0..<256 {
            let other = AuthenticatedCipher(try SecretKey(flipped(vector.key, bit)))
            #expect(open(vector.sealed, vector.tag, vector.nonce, vector.associated, other) == nil)
        }
    }

    /// The expected values are those of `hmac` and `hashlib` of Python, put together by the definitions of RFC 5869 and RFC
    /// 2104: the vectors of these have keys of other lengths.
    @Test("keys follow from keys by HKDF-SHA256, and keyed hashes are the first half of HMAC-SHA256")
    func derivation() throws {
        let key = try SecretKey(Array(0..<32))
        let hashes = [
            key.keyedHash(of: Array("what do ya want for nothing?".utf8)),
            key.derived(salt: Array(32..<48), info: [1, 2, 3]).keyedHash(of: [9]),
            key.derived(info: [1, 2, 3]).keyedHash(of: [9]),
        ]
        #expect(
            hashes == [
                hex("099805f4ac310786968565c098db515c"), hex("24ea31aa3ddf7e3cb10b7bb7724df500"),
                hex("61e1e814d720ce65e50a626d8514b394"),
            ])
    }

    @Test("keys have 32 bytes", arguments: [0, 16, 31, 33, 64])
    func counts(count: Int) {
        #expect(throws: SealingError.wrongCount(count)) { try SecretKey(zeros(count)) }
    }
}

private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

private func hex(_ text: String) -> [UInt8] {
    var digits = text[...]
    var bytes: [UInt8] = []
    while let byte = UInt8(digits.prefix(2), radix: 16) {
        bytes.append(byte)
        digits = digits.dropFirst(2)
    }
    return bytes
}

private func flipped(_ bytes: [UInt8], _ bit: Int) -> [UInt8] {
    var bytes = bytes
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    return bytes
}

private func seal(
    _ plain: [UInt8], _ nonce: UInt64, _ associated: [UInt8], _ cipher: AuthenticatedCipher
) -> (sealed: [UInt8], tag: [UInt8]) {
    var (sealed, tag) = (zeros(plain.count + 1), zeros(AuthenticatedCipher.tagSize))
    plain.withUnsafeBytes { plain in
        associated.withUnsafeBytes { associated in
            cipher.seal(plain, nonce: nonce, associated: associated, to: &sealed, tag: &tag)
        }
    }
    return (sealed.dropLast(), tag)
}

private func open(
    _ sealed: [UInt8], _ tag: [UInt8], _ nonce: UInt64, _ associated: [UInt8], _ cipher: AuthenticatedCipher
) -> [UInt8]? {
    var plain = [UInt8](repeating: 0xFF, count: sealed.count + 1)
    let isOpen = sealed.withUnsafeBytes { sealed in
        associated.withUnsafeBytes { associated in
            cipher.open(sealed, tag: tag, nonce: nonce, associated: associated, to: &plain)
        }
    }
    if !isOpen { #expect(plain.dropLast() == zeros(sealed.count)[...]) }
    return isOpen ? plain.dropLast() : nil
}

extension SecretKey {
    fileprivate func keyedHash(of bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { keyedHash($0) } }
}
