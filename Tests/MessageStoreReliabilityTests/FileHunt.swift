#if os(macOS) || os(Linux)
import Foundation

/// Looks for words in all files of a directory.
enum FileHunt {
    /// The files, by their paths in the directory, whose bytes or names have one of the words.
    static func files(below directory: String, having words: [[UInt8]]) -> Set<String> {
        Set(
            names(below: directory).filter { name in
                let bytes = FileManager.default.contents(atPath: directory + "/" + name) ?? Data()
                return words.contains { has(bytes, $0) || has(Data(name.utf8), $0) }
            })
    }

    /// The files, by their paths in the directory, whose bytes or names have a text.
    static func files(below directory: String, having text: String) -> Set<String> {
        files(below: directory, having: [Array(text.utf8)])
    }

    /// All files and directories below a directory.
    static func names(below directory: String) -> [String] {
        FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
    }

    private static func has(_ bytes: Data, _ word: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            guard var next = bytes.baseAddress, let first = word.first else { return false }
            let end = next + bytes.count
            while end - next >= word.count, let found = memchr(next, Int32(first), end - next - word.count + 1) {
                if memcmp(found, word, word.count) == 0 { return true }
                next = UnsafeRawPointer(found) + 1
            }
            return false
        }
    }

    /// The kinds of files: in a store by its directory, elsewhere by the place.
    static func kinds(of names: some Sequence<String>) -> Set<String> {
        Set(
            names.map { name in
                let parts = name.split(separator: "/").map(String.init)
                return parts.prefix(parts[0] == "store" ? 2 : 1).joined(separator: "/")
            })
    }
}
#endif
