internal import Foundation
package import MessageStore
internal import MessageStoreLog
internal import Synchronization

/// A file with each pair of a key and a nonce that sealed something, written before the sealed bytes are: the end of a
/// process loses none.
package final class NonceFile: Sendable {
    private struct Unwritable: Error {}

    private struct Pair: Hashable {
        let key: UInt64
        let nonce: UInt64
    }

    package let path: String
    private let descriptor: Int32
    /// The process ends itself with this seal.
    private let last: Int?
    private let count = Atomic(0)

    /// - Parameter last: The seal, from 1 on, with which the process is killed; nil for none.
    package init(_ path: String, killsAt last: Int? = nil) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        (self.path, self.last) = (path, last)
        guard descriptor >= 0 else { throw Unwritable() }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The key as a host gives it; its seals, and those of all keys that follow from it, are noted.
    package func source(_ key: [UInt8]) -> KeySource {
        KeySource(ledger: { self.note($0, $1) }) { key }
    }

    private func note(_ key: UInt64, _ nonce: UInt64) {
        let pair = [key.littleEndian, nonce.littleEndian]
        let written = pair.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        precondition(written == Self.pairSize, "the pair cannot be written")
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        if number == last { kill(getpid(), SIGKILL) }
    }

    private static let pairSize = 16

    /// The numbers of a file's pairs.
    package struct Summary: Equatable, Sendable {
        package var seals = 0
        package var keys = 0
        /// Pairs that are there already.
        package var repeats = 0
    }

    /// Counts the pairs of a file.
    package static func summary(of path: String) throws -> Summary {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var (summary, pairs, keys) = (Summary(), Set<Pair>(), Set<UInt64>())
        bytes.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count - pairSize + 1, by: pairSize) {
                let words = (0..<2).map {
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8 * $0, as: UInt64.self))
                }
                summary.seals += 1
                keys.insert(words[0])
                if !pairs.insert(Pair(key: words[0], nonce: words[1])).inserted { summary.repeats += 1 }
            }
        }
        summary.keys = keys.count
        return summary
    }
}
