internal import MessageStoreLMDB
internal import MessageStoreSealing

/// Seals the frames of a journal, and opens them.
///
/// A subkey follows from the log's key and 16 random bytes of each opening, which each of its frames carries; the nonce is
/// the number of the frame. A frame that was lost or overwritten has random bytes that never come again.
final class FrameSealer: Sendable {
    private let key: SecretKey
    private let salt = SecretKey.randomBytes(Layout.saltSize)
    private let cipher: AuthenticatedCipher
    private let count = Locked<UInt64>(0)
    /// The cipher of the last opening whose frame was read.
    private let last = Locked<(salt: [UInt8], cipher: AuthenticatedCipher)?>(nil)

    /// The trailer of a sealed frame: the opening's bytes, the frame's number and the tag.
    private enum Layout {
        static let salt = 0
        static let number = 16
        static let tag = 24
        static let size = 40
        static let saltSize = 16
    }

    /// The bytes that a seal adds to a frame.
    static let trailerSize = Layout.size

    init(_ key: SecretKey) {
        self.key = key.derived(info: Array("journal".utf8))
        cipher = Self.cipher(self.key, salt)
    }

    private static func cipher(_ key: SecretKey, _ salt: [UInt8]) -> AuthenticatedCipher {
        AuthenticatedCipher(key.derived(salt: salt, info: Array("opening".utf8)))
    }

    /// Whether no frame can be sealed any more: the log commits at once then.
    var isExhausted: Bool { count.withLock { $0 >= AuthenticatedCipher.greatestCount } }

    /// Seals what follows the header of a frame, and appends the trailer.
    ///
    /// - Parameter associated: The bytes of the header that stay as they are.
    func seal(_ frame: inout ByteWriter, associated: Range<Int>) {
        let number = count.withLock { count in
            defer { count += 1 }
            return count
        }
        let body = associated.upperBound..<frame.count
        frame.append(salt)
        frame.append(number)
        frame.append(AuthenticatedCipher.tagSize) { tag in
            let start = tag - Layout.tag - body.upperBound
            cipher.seal(
                UnsafeRawBufferPointer(start: start + body.lowerBound, count: body.count), nonce: number,
                associated: UnsafeRawBufferPointer(start: start + associated.lowerBound, count: associated.count),
                to: start + body.lowerBound, tag: tag)
        }
    }

    /// The bytes after the header of a sealed frame, open; nil if they are not what was sealed.
    ///
    /// - Parameter frame: The whole frame, with its trailer.
    func opened(_ frame: RawSpan, associated: Range<Int>) -> [UInt8]? {
        let end = frame.byteCount - Layout.size
        guard end >= associated.upperBound,
            let number = frame.load(at: end + Layout.number, as: UInt64.self)
        else { return nil }
        let cipher = cipher(frame.extracting(end + Layout.salt..<end + Layout.number).copied)
        return frame.withUnsafeBytes { bytes in
            let body = UnsafeRawBufferPointer(rebasing: bytes[associated.upperBound..<end])
            var isOpen = false
            let opened = [UInt8](unsafeUninitializedCapacity: body.count) { target, count in
                count = body.count
                guard let start = bytes.baseAddress, let target = target.baseAddress else { return }
                isOpen = cipher.open(
                    body, tag: start + end + Layout.tag, nonce: number,
                    associated: UnsafeRawBufferPointer(rebasing: bytes[associated]), to: target)
            }
            return isOpen ? opened : nil
        }
    }

    private func cipher(_ salt: [UInt8]) -> AuthenticatedCipher {
        if salt == self.salt { return cipher }
        return last.withLock { last in
            if let last, last.salt == salt { return last.cipher }
            let cipher = Self.cipher(key, salt)
            last = (salt, cipher)
            return cipher
        }
    }
}
