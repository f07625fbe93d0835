import MatrixClient
import MessageStore

/// The commands that the user types.
actor Chat {
    private static let help = """
        /list                 the rooms          /open N or ROOM     opens a room
        /create NAME USER...  a new room         /join ROOM          joins a room by its id or alias
        /history              older messages     /members            who is in the room
        /read                 all is read        /edit N TEXT        replaces the text of your message
        /react N KEY          reacts, or takes the reaction back
        /redact N [REASON]    takes a message back for everyone
        /quit                 ends; what waits is sent the next time. Any other line is a message.
        """

    private let client: MatrixClient
    private var rooms: [ConversationKey] = []
    private var screen: RoomScreen?
    private var following: Task<Void, Never>?

    init(_ client: MatrixClient) {
        self.client = client
    }

    /// Carries out commands until the user leaves.
    func run() async throws {
        Terminal.show("You are \(client.store.account). /help shows the commands.")
        try await list()
        for await line in Terminal.lines() {
            do {
                if try await !carryOut(line) { break }
            } catch let error as MatrixError {
                Terminal.show("\(error)")
            } catch let error as StoreError where error.code != .closed {
                Terminal.show("\(error)")
            }
        }
        following?.cancel()
    }

    private func carryOut(_ line: String) async throws -> Bool {
        guard line.hasPrefix("/") else {
            if let room = screen?.room, !line.isEmpty { try await client.send(line, to: room) }
            return true
        }
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        let (first, second) = (words.count > 1 ? words[1] : "", words.count > 2 ? words[2] : "")
        switch words[0] {
        case "/quit": return false
        case "/help": for line in Self.help.split(separator: "\n") { Terminal.show(String(line)) }
        case "/list": try await list()
        case "/open": open(first)
        case "/join": open((try await client.join(first)).id)
        case "/create":
            let users = second.split(separator: " ").map(String.init)
            open((try await client.createRoom(named: first, inviting: users)).id)
        default: try await carryOut(words[0], first, second)
        }
        return true
    }

    /// A command about the open room.
    private func carryOut(_ command: String, _ first: String, _ second: String) async throws {
        guard let screen else { return Terminal.show("Open a room first.") }
        let message = await screen.message(Int(first) ?? 0)
        switch (command, message) {
        case ("/history", _): try await screen.showOlder()
        case ("/members", _): try await screen.showMembers()
        case ("/read", _): try await client.markRead(screen.room)
        case ("/edit", let message?) where message.isOutgoing && !second.isEmpty:
            try await client.edit(message, to: second)
        case ("/react", let message?) where !second.isEmpty: try await client.react(second, to: message)
        case ("/redact", let message?): try await client.redact(message, reason: second.isEmpty ? nil : second)
        default: Terminal.show("No such command, or no such message. /help shows the commands.")
        }
    }

    private func list() async throws {
        let account = client.store.account
        let (conversations, titles) = try await client.store.read { views in
            let conversations = try views.conversations(limit: 100).elements
            return (conversations, try conversations.map { try views.title(of: $0, for: account) })
        }
        rooms = conversations.map(\.key)
        for (index, conversation) in conversations.enumerated() {
            let unread = conversation.unread.messages > 0 ? " (\(conversation.unread.messages))" : ""
            Terminal.show("\(index + 1). \(titles[index])\(unread): \(conversation.lastMessage?.text ?? "")")
        }
        if conversations.isEmpty { Terminal.show("No rooms yet.") }
    }

    private func open(_ name: String) {
        let number = Int(name) ?? 0
        let key = number > 0 && number <= rooms.count ? rooms[number - 1] : ConversationKey.id(name)
        following?.cancel()
        let screen = RoomScreen(client, key)
        self.screen = screen
        following = Task { await screen.follow() }
    }
}

extension Views {
    /// A room's name, or who else is in it.
    borrowing func title(of conversation: Conversation, for account: UserID) throws -> String {
        if let name = conversation.name, !name.isEmpty { return name }
        let key = conversation.key
        let others = try members(in: key, limit: 1000).elements.map(\.id).filter { $0 != account }
        let names = try others.prefix(3).map { try displayName(of: $0, in: key) }
        return names.isEmpty ? key.id : names.joined(separator: ", ")
    }
}
