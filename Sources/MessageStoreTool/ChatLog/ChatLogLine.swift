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

/// One message or service event of a chat log, under the names of its JSON keys; `Docs/ChatLog.md` describes them.
struct ChatLogRecord: Sendable, Equatable, Decodable {
    enum Kind: String, Sendable, Decodable { case group, single }

    var conv: String
    var kind: Kind
    var id: String?
    var from: String?
    var ts: Natural?
    var type: String
    var text: String?
    var to: String?
    var n: Natural?

    var time: Timestamp? { ts.map { Timestamp(milliseconds: $0.value) } }
}

/// An integer from 0 to the greatest `Int64`.
struct Natural: Sendable, Equatable, Decodable, ExpressibleByIntegerLiteral {
    let value: Int64

    init(integerLiteral value: Int64) { self.value = value }

    init(from decoder: any Decoder) throws {
        guard let value = try? decoder.singleValueContainer().decode(Int64.self), value >= 0 else {
            throw ChatLogLineFault(.wrongFieldType, decoder.codingPath.last?.stringValue ?? "")
        }
        self.value = value
    }
}

/// The problem with one line, before its line number is known.
struct ChatLogLineFault: Error, Equatable {
    let code: ChatLogError.Code
    /// The name of the field at fault, or empty.
    let detail: String

    init(_ code: ChatLogError.Code, _ detail: String = "") { (self.code, self.detail) = (code, detail) }

    /// Refuses bytes that are no UTF-8, and bytes that a decoder would take for UTF-16 or UTF-32.
    static func check(_ line: ArraySlice<UInt8>) throws {
        guard String(validating: line, as: UTF8.self) != nil else { throw ChatLogLineFault(.invalidUTF8) }
        guard !line.prefix(4).contains(0) else { throw ChatLogLineFault(.invalidJSON) }
    }

    /// The problem that a JSON decoder's error describes, without the value.
    init(_ error: any Error) {
        func path(_ keys: [any CodingKey]) -> String {
            keys.map { $0.intValue.map { String($0) } ?? $0.stringValue }.joined(separator: ".")
        }
        switch error {
        case let fault as ChatLogLineFault: self = fault
        case let error as StoreError: self.init(.invalidEvent, error.message)
        case DecodingError.keyNotFound(let key, let context): self.init(.missingField, path(context.codingPath + [key]))
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            let isField = !context.codingPath.isEmpty
            self.init(isField ? .wrongFieldType : .invalidJSON, isField ? path(context.codingPath) : "not an object")
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            self.init(.unknownFieldValue, path(context.codingPath))
        default: self.init(.invalidJSON)
        }
    }
}

/// Why a chat log, or one line of it, could not be read.
///
/// Neither the error nor its description ever holds text from the values of a line.
struct ChatLogError: Error, Sendable, Equatable {
    /// The reasons, as codes for callers that act on them.
    enum Code: String, Sendable, CaseIterable {
        // Errors of the file.
        case cannotOpen = "cannot open the file"
        case isDirectory = "is a directory"
        case cannotRead = "cannot read the file"
        case truncatedGzip = "truncated gzip data"
        case corruptGzip = "corrupt gzip data"
        case exportedLog = "an exported log, and no chat log"

        // Of a file that is recorded all the same.
        case olderFile = "older than what the store has of names or members, of which the last recorded holds"

        // Errors of one line.
        case lineTooLong = "line too long"
        case invalidUTF8 = "invalid UTF-8"
        case invalidJSON = "invalid JSON"
        case missingField = "missing field"
        case wrongFieldType = "wrong type of field"
        case unknownFieldValue = "unknown value of field"
        case cutID = "half a character in an id"
        case invalidEvent = "not allowed in a store"

        // Errors of an exported log, whose lines cannot be left out.
        case notAnExport = "not an exported log"
        case endsEarly = "the file ends before its last line"
        case notAsExported = "not what was exported"
    }

    /// The reason.
    let code: Code

    /// The path of the file, as the caller gave it.
    let file: String

    /// The number of the line, counted from 1, for an error of one line.
    let line: Int?

    /// The name of a field or the system's message for an error number; empty when there is nothing to add.
    let detail: String

    /// Whether the file begins as none of the formats that are known.
    var isOfUnknownFormat: Bool {
        (line ?? 1) == 1 && [.invalidJSON, .invalidUTF8, .corruptGzip, .truncatedGzip, .notAnExport].contains(code)
    }

    /// Whether the error concerns one line alone, so that reading may go on with the next one.
    var isLineError: Bool {
        switch code {
        case .cannotOpen, .isDirectory, .cannotRead, .truncatedGzip, .corruptGzip:
            false
        case .exportedLog, .notAnExport, .endsEarly, .notAsExported, .olderFile:
            false
        case .lineTooLong, .invalidUTF8, .invalidJSON, .missingField, .wrongFieldType, .unknownFieldValue,
            .cutID, .invalidEvent:
            true
        }
    }
}

extension ChatLogError: CustomStringConvertible {
    /// `FILE:LINE: REASON (DETAIL)`, safe to print even when the path holds control characters.
    var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        let reason = detail.isEmpty ? code.rawValue : "\(code.rawValue) (\(detail))"
        return "\(place): \(reason)".terminalSafe
    }
}
