internal import Foundation
internal import MessageStore

/// Reads a real chat log, or an exported one, into a backlog: one JSON object a line, plain or gzip.
///
/// The account is the sender who wrote the most, so that there are own messages. Lines without an id get one of their
/// number, lines without a time one millisecond more than the line before.
enum ChatLogReader {
    private struct Line: Decodable {
        var conv: String
        var kind: String
        var id: String?
        var from: String?
        var ts: Int64?
        var type: String
        var text: String?
    }

    static func backlog(_ path: String, limit: Int) throws -> Backlog {
        var tables = Tables()
        var events: [SyncEvent] = []
        var written: [Int32: Int] = [:]
        let decoder = JSONDecoder()
        var lastTime: Int64 = 1
        let lines = try unpacked(path).split(separator: 0x0A)
        if let header = lines.first, let account = ExportedLogReader.account(header: Data(header)) {
            return try ExportedLogReader.backlog(path, lines, account: account, limit: limit)
        }
        for (number, bytes) in lines.enumerated() {
            guard events.count < limit else { break }
            guard let line = try? decoder.decode(Line.self, from: Data(bytes)) else {
                throw Failure(
                    "\(path), line \(number + 1): this is neither a line of a chat log (Docs/ChatLog.md) nor an exported log"
                )
            }
            guard let kind = kind(of: line.type), let sender = line.from else { continue }
            lastTime = line.ts ?? lastTime + 1
            let event = SyncEvent(
                conversation: tables.conversation(line.conv, isGroup: line.kind == "group"),
                sender: tables.user(sender), kind: kind, isOwn: false, timeMs: lastTime,
                id: line.id ?? "line-\(number)", text: line.text ?? "")
            if kind == .text { written[event.sender, default: 0] += 1 }
            events.append(event)
        }
        guard let most = written.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else {
            throw Failure("\(path) holds no texts")
        }
        for index in events.indices where events[index].sender == most.key { events[index].isOwn = true }
        return Backlog(
            name: URL(fileURLWithPath: path).lastPathComponent, account: tables.users[Int(most.key)],
            conversations: tables.conversations, users: tables.users, events: events)
    }

    private static func kind(of type: String) -> SyncEvent.Kind? {
        switch type {
        case "message", "action", "notice": .text
        case "join": .joined
        case "leave", "quit": .left
        default: nil
        }
    }

    /// The bytes, unpacked where they are packed; texts hold other line separators, so only 0x0A splits them.
    private static func unpacked(_ path: String) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-dcf", path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("gzip cannot read \(path)") }
        return data
    }
}

/// The ordinals of names, given in the order in which they are met.
struct Tables {
    private(set) var conversations: [ConversationKey] = []
    private(set) var users: [UserID] = []
    private var conversationNumbers: [String: Int32] = [:]
    private var userNumbers: [String: Int32] = [:]

    mutating func conversation(_ id: String, isGroup: Bool) -> Int32 {
        if let number = conversationNumbers[id] { return number }
        let number = Int32(conversations.count)
        conversations.append(isGroup ? .group(id) : .single(id))
        conversationNumbers[id] = number
        return number
    }

    mutating func user(_ id: String) -> Int32 {
        if let number = userNumbers[id] { return number }
        let number = Int32(users.count)
        users.append(UserID(id))
        userNumbers[id] = number
        return number
    }
}
