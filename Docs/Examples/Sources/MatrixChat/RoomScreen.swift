import MatrixClient
import MessageStore

/// The open room: its newest messages, shown as they come and again when they change.
actor RoomScreen {
    nonisolated let room: ConversationKey
    private let client: MatrixClient
    /// The messages that were shown, by the number that commands name them by, from 1.
    private var messages: [Message] = []
    private var lines: [LocalMessageID: (number: Int, line: String)] = [:]
    private var oldest: Message?

    init(_ client: MatrixClient, _ room: ConversationKey) {
        self.client = client
        self.room = room
    }

    /// A message by the number that it was shown with.
    func message(_ number: Int) -> Message? {
        number > 0 && number <= messages.count ? messages[number - 1] : nil
    }

    /// Shows the newest messages as they come, until the task is cancelled.
    func follow() async {
        do {
            let timeline = client.store.observe { [room] views in
                let page = try views.timeline(of: room, limit: 20)
                return Shown(lines: try page.elements.map { try views.line(of: $0) }, page: page)
            }
            for try await shown in timeline {
                if oldest == nil {
                    oldest = shown.page.elements.first
                } else {
                    try await showMissed(before: shown.page)
                }
                show(shown)
            }
        } catch {
            Terminal.show("The room cannot be shown: \(error)")
        }
    }

    /// Shows twenty messages before the oldest ones; the server is asked where the store has a gap.
    func showOlder() async throws {
        let page = try await client.history(of: room, before: oldest)
        if page.elements.isEmpty { return Terminal.show("There are no older messages.") }
        oldest = page.elements.first
        let lines = try await client.store.read { views in try page.elements.map { try views.line(of: $0) } }
        show(Shown(lines: lines, page: page))
        if page.reachesBeginning, !page.hasOlder { Terminal.show("This is the beginning.") }
    }

    /// Shows what the store has between the messages that were shown and a page, where more came at once than it has.
    private func showMissed(before page: TimelinePage) async throws {
        var missed: [Shown] = []
        var page = page
        while page.hasOlder, let first = page.elements.first, !page.elements.contains(where: { lines[$0.id] != nil }) {
            let older = try await client.store.read { [room] views in
                let older = try views.timeline(of: room, .before(.message(.local(first.id))), limit: 20)
                return Shown(lines: try older.elements.map { try views.line(of: $0) }, page: older)
            }
            missed.append(older)
            page = older.page
        }
        for shown in missed.reversed() { show(shown) }
    }

    /// Shows who is in the room.
    func showMembers() async throws {
        let names = try await client.store.read { [room] views in
            try views.members(in: room, limit: 1000).elements.map { member in
                let name = try views.displayName(of: member.id, in: room)
                return member.joinKind == .invited ? "\(name) (invited)" : name
            }
        }
        Terminal.show(names.joined(separator: ", "))
    }

    private struct Shown: Sendable, Equatable {
        let lines: [String]
        let page: TimelinePage
    }

    private func show(_ shown: Shown) {
        for (message, line) in zip(shown.page.elements, shown.lines) {
            let known = lines[message.id]
            let number = known?.number ?? messages.count + 1
            if known == nil { messages.append(message) } else { messages[number - 1] = message }
            if known?.line != line { Terminal.show("\(number) \(line)") }
            lines[message.id] = (number, line)
        }
    }
}

extension Views {
    /// A message as a line: who, what, how far it got, and who reacted.
    fileprivate borrowing func line(of message: Message) throws -> String {
        let name = try senderName(of: message)
        let text = message.isRecalled ? "(taken back)" : message.text ?? "(\(message.content.type))"
        var line = "\(name): \(text)"
        if message.isModified, !message.isRecalled { line += " (edited)" }
        switch message.status {
        case .sending: line += " …"
        case .failed: line += " (not sent: \(message.failureCode ?? 0))"
        case .read: line += " ✓✓"
        default: break
        }
        for reaction in try reactions(to: .local(message.id), in: message.conversation) {
            line += " \(reaction.key)×\(reaction.count)"
        }
        return line
    }
}
