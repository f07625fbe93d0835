internal import Foundation
internal import GRDB
internal import MessageStore

/// SQLite's FTS5 by GRDB: a table without the texts themselves, which are in the table of messages that an app has anyway.
final class FullTextPeer {
    /// How it splits texts.
    enum Tokens: String, CaseIterable {
        case trigram = "trigram"
        case words = "words (unicode61)"
        case pairs = "words and Chinese pairs"
    }

    let tokens: Tokens
    let keepsPositions: Bool
    private let database: DatabaseQueue
    private let path: String

    var name: String { "FTS5, \(tokens.rawValue)\(keepsPositions ? "" : ", detail=none")" }

    /// - Parameters:
    ///   - path: The database of the index alone.
    ///   - messages: That of the messages, see ``writeMessages(_:at:)``.
    init(_ tokens: Tokens, keepsPositions: Bool, at path: String, messages: String) throws {
        (self.tokens, self.keepsPositions, self.path) = (tokens, keepsPositions, path)
        database = try DatabaseQueue(path: path)
        let tokenizer = tokens == .trigram ? "trigram" : "unicode61 remove_diacritics 2"
        try database.writeWithoutTransaction { try $0.execute(sql: "ATTACH ? AS app", arguments: [messages]) }
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE texts USING fts5(
                    text, content='', tokenize='\(tokenizer)'\(keepsPositions ? "" : ", detail='none'"))
                    """)
        }
    }

    /// Writes the messages of a backlog to a database.
    static func writeMessages(_ backlog: Backlog, at path: String) throws {
        let database = try DatabaseQueue(path: path)
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE messages (
                    id INTEGER PRIMARY KEY, conversation TEXT, sender TEXT, time INTEGER, text TEXT)
                    """)
            let statement = try db.makeStatement(sql: "INSERT INTO messages VALUES (?, ?, ?, ?, ?)")
            for (index, event) in backlog.events().enumerated() {
                try statement.execute(arguments: [
                    index + 1, backlog.conversations[Int(event.conversation)].id,
                    backlog.users[Int(event.sender)].rawValue, event.timeMs, event.text,
                ])
            }
        }
    }

    func fill(_ texts: [String]) throws {
        var start = 0
        while start < texts.count {
            let end = min(start + 10_000, texts.count)
            try database.write { db in
                let statement = try db.makeStatement(sql: "INSERT INTO texts (rowid, text) VALUES (?, ?)")
                for index in start..<end {
                    try statement.execute(arguments: [
                        index + 1, tokens == .pairs ? Self.pairs(of: texts[index]) : texts[index],
                    ])
                }
            }
            start = end
        }
    }

    var bytes: Int { Files.diskBytes((path as NSString).deletingLastPathComponent) }

    /// The last 20 messages that have a word.
    func search(_ word: String) throws -> Int {
        let wanted = tokens == .pairs ? Self.pairs(of: word) : word
        return try database.read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT messages.* FROM texts JOIN app.messages ON messages.id = texts.rowid
                        WHERE texts MATCH ? ORDER BY texts.rowid DESC LIMIT 20
                        """), arguments: ["\"\(wanted.trimmingCharacters(in: .whitespaces))\""]
            ).count
        }
    }

    /// Chinese characters as overlapping pairs, everything else as it is.
    private static func pairs(of text: String) -> String {
        var result = ""
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            guard SearchCorpus.isHan(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            if index + 1 < scalars.count, SearchCorpus.isHan(scalars[index + 1]) {
                result.append(" ")
                result.unicodeScalars.append(scalar)
                result.unicodeScalars.append(scalars[index + 1])
                result.append(" ")
            }
        }
        return result
    }
}
