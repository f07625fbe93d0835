internal import Foundation
internal import MessageStoreMatrix

/// The content of one line of a chat log's files.
enum ChatLogLine: Sendable, Equatable {
    /// A message or service event, from `NAME.ndjson.gz`.
    case record(ChatLogRecord)
    /// A conversation and the name it had, if any, from `NAME.convs.ndjson.gz`.
    case conversation(id: String, kind: ChatLogRecord.Kind, name: String?)
    /// A person and the name they had, if any, from `NAME.users.ndjson.gz`.
    case user(id: String, name: String?)
}

extension ChatLogLine: Decodable {
    private enum Key: String, CodingKey { case type, user, name, conv, kind, format, id, from, to }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        // The name must be there, and may be null.
        let name = { try fields.decode(String?.self, forKey: .name) }
        if fields.contains(.type) {
            self = .record(try ChatLogRecord(from: decoder))
        } else if fields.contains(.user) {
            self = .user(id: try fields.decode(String.self, forKey: .user), name: try name())
        } else if fields.contains(.format), try fields.decode(String.self, forKey: .format) == ExportHeader.format {
            throw ChatLogLineFault(.exportedLog, "`--format events` reads it")
        } else {
            let id = try fields.decode(String.self, forKey: .conv)
            let kind = try fields.decode(ChatLogRecord.Kind.self, forKey: .kind)
            // A record whose type was lost must not pass for a conversation.
            guard fields.contains(.name) else { throw ChatLogLineFault(.missingField, Key.type.rawValue) }
            self = .conversation(id: id, kind: kind, name: try name())
        }
    }
}

extension ChatLogLine {
    private static let decoder = JSONDecoder()

    /// Reads a line; halves of characters become U+FFFD in texts and names, and make it bad in an id.
    static func read(_ line: ArraySlice<UInt8>) throws -> (content: ChatLogLine, replaced: Int) {
        try ChatLogLineFault.check(line)
        let json = RepairedJSON(Array(line))
        let content = try decoder.decode(ChatLogLine.self, from: Data(json.bytes))
        return (try json.mark.map { try content.settled($0) } ?? content, json.count)
    }

    private func settled(_ mark: Unicode.Scalar) throws -> ChatLogLine {
        func check(_ ids: KeyValuePairs<Key, String?>) throws {
            for (name, id) in ids where id?.has(mark) == true { throw ChatLogLineFault(.cutID, name.rawValue) }
        }
        switch self {
        case .record(var record):
            try check([.conv: record.conv, .id: record.id, .from: record.from, .to: record.to])
            record.text = record.text?.replacing(mark)
            return .record(record)
        case .conversation(let id, let kind, let name):
            try check([.conv: id])
            return .conversation(id: id, kind: kind, name: name?.replacing(mark))
        case .user(let id, let name):
            try check([.user: id])
            return .user(id: id, name: name?.replacing(mark))
        }
    }
}

/// Reads a chat log.
typealias ChatLogReader = JSONLineReader<ChatLogLine>

extension ChatLogReader {
    /// Opens a chat log.
    convenience init(path: String, maximumLineBytes: Int = 1 << 20) throws(ChatLogError) {
        try self.init(path: path, maximumLineBytes: maximumLineBytes, reading: ChatLogLine.read)
    }
}
