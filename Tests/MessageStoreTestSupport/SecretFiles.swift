import Foundation
import MessageStore
import MessageStoreTestKit
import Testing

/// Messages of which some hold a secret, to be looked for in all files of a store.
enum SecretFiles {
    static let secret = "Zq7secretQz7"

    static func isSecret(_ number: Int) -> Bool { number.isMultiple(of: 2) }

    /// Texts of different lengths, of which some take pages of their own and some leave slack in them.
    static func text(_ number: Int) -> String {
        let word = isSecret(number) ? secret : "harmless"
        let count = [1, 3, 10, 190, 260, 330][number % 6]
        return (1...count).map { "\(word)\(number).\($0)" }.joined(separator: " ")
    }

    static func message(_ number: Int) -> Event {
        received(ServerMessageID("m\(number)"), at: Int64(number), text: text(number))
    }

    /// Records messages, and redacts the secret ones.
    static func fill(_ store: MessageStore, _ numbers: ClosedRange<Int>) throws {
        for start in stride(from: numbers.lowerBound, through: numbers.upperBound, by: 50) {
            let part = start...min(start + 49, numbers.upperBound)
            let positions = try store.record(part.map(message)).positions
            for (number, position) in zip(part, positions) where isSecret(number) {
                try store.redact(try #require(position))
            }
        }
        try store.flush()
    }

    /// How often the secret is in any file of a directory.
    static func count(in directory: String) throws -> Int {
        let files = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        #expect(files.contains("log/data.mdb"))
        return try files.reduce(0) { count, name in
            var isDirectory: ObjCBool = false
            let path = directory + "/" + name
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue else {
                return count
            }
            let (data, pattern) = (try Data(contentsOf: URL(fileURLWithPath: path)), Data(secret.utf8))
            var (found, start) = (count, data.startIndex)
            while let range = data.range(of: pattern, in: start..<data.endIndex) {
                (found, start) = (found + 1, range.upperBound)
            }
            return found
        }
    }

    /// What is next to the log and the views.
    static func otherNames(in directory: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: directory))
            .subtracting(["log", "views", "identity.json", "writer.lock"])
    }
}
