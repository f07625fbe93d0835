#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What a base consists of: a copy of the store, cut into pieces.
package struct BaseManifest: Codable {
    /// A file of the copy, by its path in the copy.
    struct File: Codable {
        let path: String
        let size: Int
    }

    /// The last position of the copy.
    let position: UInt64
    let files: [File]
    /// Checksums of the pieces, which are the files one after the other.
    let pieces: [String]
    /// A segment that ends with the last event, to recognise a log that went another way.
    package let end: Data

    /// Whether every path stays inside of the copy.
    package var isSafe: Bool {
        files.allSatisfy { file in
            file.size >= 0
                && file.path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
                    !$0.isEmpty && !$0.hasPrefix(".") && !$0.utf8.contains(0)
                }
        }
    }

    package static func checksum(of piece: [UInt8]) -> String { XXH64.hash(piece.span.bytes).hexadecimal() }
}
