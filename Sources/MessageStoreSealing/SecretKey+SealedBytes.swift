extension SecretKey {
    /// The bytes that a seal of bytes by themselves adds: 16 random ones and the tag.
    package static let sealSize = saltSize + AuthenticatedCipher.tagSize
    private static let saltSize = 16

    /// Seals bytes in place by themselves: a file, a frame or an object.
    ///
    /// A subkey follows from this key and random bytes, which lie after the sealed ones, and seals once: no nonce can
    /// come twice, whatever is lost or copied.
    ///
    /// - Parameters:
    ///   - memory: The bytes, and room for ``sealSize`` more.
    ///   - associated: Bytes that stay clear, without which the seal does not open.
    package func seal(_ memory: UnsafeMutableRawBufferPointer, associated: UnsafeRawBufferPointer) {
        let (end, salt) = (memory.count - Self.sealSize, Self.randomBytes(Self.saltSize))
        guard end >= 0, let start = memory.baseAddress else { preconditionFailure("there is no room for a seal") }
        UnsafeMutableRawBufferPointer(rebasing: memory[end...]).copyBytes(from: salt)
        cipher(salt).seal(
            UnsafeRawBufferPointer(start: start, count: end), nonce: 0, associated: associated, to: start,
            tag: start + end + Self.saltSize)
    }

    /// The sealed form of bytes; see ``seal(_:associated:)``.
    package func sealed(_ plain: [UInt8], associated: [UInt8] = []) -> [UInt8] {
        var bytes = plain + [UInt8](repeating: 0, count: Self.sealSize)
        bytes.withUnsafeMutableBytes { bytes in associated.withUnsafeBytes { seal(bytes, associated: $0) } }
        return bytes
    }

    /// The bytes that were sealed by themselves; nil if they are not sealed by this key and with these associated bytes.
    package func opened(
        _ sealed: UnsafeRawBufferPointer, associated: UnsafeRawBufferPointer = .init(start: nil, count: 0)
    ) -> [UInt8]? {
        let end = sealed.count - Self.sealSize
        guard end >= 0, let start = sealed.baseAddress else { return nil }
        let cipher = cipher([UInt8](sealed[end..<end + Self.saltSize]))
        var isOpen = false
        let opened = [UInt8](unsafeUninitializedCapacity: max(end, 1)) { target, count in
            count = end
            guard let target = target.baseAddress else { return }
            isOpen = cipher.open(
                UnsafeRawBufferPointer(rebasing: sealed[..<end]), tag: start + end + Self.saltSize, nonce: 0,
                associated: associated, to: target)
        }
        return isOpen ? opened : nil
    }

    /// The cipher of the subkey that follows from random bytes.
    package func cipher(_ salt: [UInt8]) -> AuthenticatedCipher {
        AuthenticatedCipher(derived(salt: salt, info: Array("opening".utf8)))
    }
}
