import Foundation

/// Looks for words in all files below a directory, as texts and as entries of the index have them.
enum FileHunt {
    /// Letters that no other text of a test has.
    static let word = "qzxvwkjplmb"
    /// Two characters that no other text of a test has.
    static let pair = "龘靐"
    static let secret = "\(word) \(pair)"

    /// How often something of the word or the pair is in any file: an entry leaves out what it shares with the one before.
    static func count(in directory: String) throws -> Int {
        try counts(in: directory).values.reduce(0, +)
    }

    /// The same, by file.
    static func counts(in directory: String) throws -> [String: Int] {
        let patterns = [Data(word.utf8.dropFirst(3)), Data(pair.utf8.dropFirst(2))]
        let files = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        var counts: [String: Int] = [:]
        for file in files {
            var isDirectory: ObjCBool = false
            let path = directory + "/" + file
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue else {
                continue
            }
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            for pattern in patterns {
                var start = data.startIndex
                while let range = data.range(of: pattern, in: start..<data.endIndex) {
                    counts[file, default: 0] += 1
                    start = range.upperBound
                }
            }
        }
        return counts
    }

    static func indexFolder(in store: String) -> String { "\(store)/lagging/com.messagestore.search" }
}
