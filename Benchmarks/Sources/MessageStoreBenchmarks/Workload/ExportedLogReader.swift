internal import Foundation
internal import MessageStore

/// Reads what a log that `messagestore export` wrote says of messages and members into a backlog.
///
/// Messages of this device are own ones from when the server accepted them. Everything else, such as receipts and settings, is
/// left out: peers without a store's rules could not be compared with it.
struct ExportedLogReader {
    private struct Header: Decodable {
        var format: String
        var account: UserID
    }

    private var tables = Tables()
    private var events: [SyncEvent] = []
    private var queued: [LocalMessageID: MessageContent] = [:]
    private let account: UserID

    /// The account of the log that begins with a line; nil where the line is no header of an exported log.
    static func account(header line: Data) -> UserID? {
        guard let header = try? JSONDecoder().decode(Header.self, from: line), header.format == "messagestore-events"
        else { return nil }
        return header.account
    }

    /// - Parameter lines: All lines, from the header to the trailer.
    static func backlog(_ path: String, _ lines: [Data], account: UserID, limit: Int) throws -> Backlog {
        var reader = ExportedLogReader(account: account)
        let decoder = JSONDecoder()
        for (index, line) in lines.enumerated().dropFirst().dropLast() where reader.events.count < limit {
            do {
                reader.add(try decoder.decode(RecordedEvent.self, from: Data(line)))
            } catch {
                throw Failure("\(path), line \(index + 1): this is no event of an exported log")
            }
        }
        guard reader.events.contains(where: { $0.kind == .text }) else { throw Failure("\(path) holds no messages") }
        return Backlog(
            name: URL(fileURLWithPath: path).lastPathComponent, account: account,
            conversations: reader.tables.conversations, users: reader.tables.users,
            events: Array(reader.events.prefix(limit)))
    }

    private init(account: UserID) { self.account = account }

    private mutating func add(_ recorded: RecordedEvent) {
        guard let key = recorded.event.conversation else { return }
        let time = recorded.event.serverTime ?? recorded.recordedTime
        switch recorded.event.payload {
        case let message as MessageReceived:
            add(.text, message.sender, in: key, at: message.sentTime, message.serverID.rawValue, message.content.text)
        case let message as MessageSendQueued:
            queued[LocalMessageID(recorded.position.rawValue)] = message.content
        case let sent as MessageSent:
            guard let content = queued.removeValue(forKey: sent.message) else { return }
            add(.text, account, in: key, at: sent.sentTime ?? time, sent.serverID.rawValue, content.text)
        case let added as MembersAdded:
            for (number, user) in added.members.enumerated() {
                add(.joined, user, in: key, at: time, "change-\(recorded.position)-\(number)", nil)
            }
        case let removed as MembersRemoved:
            for (number, user) in removed.members.enumerated() {
                add(.left, user, in: key, at: time, "change-\(recorded.position)-\(number)", nil)
            }
        default: break
        }
    }

    private mutating func add(
        _ kind: SyncEvent.Kind, _ user: UserID, in key: ConversationKey, at time: Timestamp, _ id: String,
        _ text: String?
    ) {
        // The kind is a part of the name: conversations of two kinds can have one id.
        events.append(
            SyncEvent(
                conversation: tables.conversation(key.description, isGroup: key.kind != .single),
                sender: tables.user(user.rawValue), kind: kind, isOwn: user == account && kind == .text,
                timeMs: max(time.milliseconds, 1), id: id, text: text ?? ""))
    }
}
