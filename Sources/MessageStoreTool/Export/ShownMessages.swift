internal import Foundation

/// The conversations and messages that the views show, one after the other.
final class ShownMessages {
    /// Those to go through; empty for all.
    let chosen: Set<ConversationKey>
    let account: UserID
    /// The messages before which others may be missing.
    let gaps: Set<LocalMessageID>
    private(set) var (conversations, messages) = (0, 0)
    private var progress = ProgressLine(label: "exporting")

    /// - Parameter arguments: The conversations, as arguments name them; none for all.
    init(_ arguments: [String], of account: UserID, _ views: borrowing Views) throws {
        chosen = try Set(arguments.map { try findConversation($0, views) })
        var gaps: Set<LocalMessageID> = []
        try views.forEachGap { gap in if let after = gap.after { gaps.insert(after) } }
        (self.account, self.gaps) = (account, gaps)
    }

    /// Calls `body` with each conversation: those of the list in its order, archived ones last, then the others that
    /// show messages, such as chat rooms.
    func forEachConversation(_ views: borrowing Views, _ body: (Conversation) throws -> Void) throws {
        var (listed, next): (Set<ConversationKey>, PageCursor?) = ([], nil)
        func show(_ conversation: Conversation) throws {
            guard chosen.isEmpty || chosen.contains(conversation.key) else { return }
            conversations += 1
            try body(conversation)
        }
        repeat {
            let page = try views.conversations(archived: .included, after: next, limit: Views.pageLimits.upperBound)
            listed.formUnion(page.elements.map(\.key))
            try page.elements.forEach(show)
            next = page.next
        } while next != nil
        for key in try views.everyConversation() where !listed.contains(key) {
            guard try !views.timeline(of: key, limit: 1).elements.isEmpty else { continue }
            try show(try views.conversation(key) ?? Conversation(key: key))
        }
        progress.finish()
    }

    /// Calls `body` with the pages of a conversation, oldest first; an empty page alone if it shows no message.
    func forEachPage(
        of conversation: Conversation, _ views: borrowing Views, _ body: (TimelinePage) throws -> Void
    ) throws {
        try views.forEachPage(of: conversation.key) { page in
            try body(page)
            messages += page.elements.count
            progress.update(done: messages)
        }
    }
}

extension Views {
    /// Calls `body` with pages of a conversation's messages, oldest first.
    ///
    /// - Parameters:
    ///   - start: The place after which the first page begins; nil for the beginning.
    ///   - onDamage: As in `timeline(of:_:types:limit:onDamage:)`.
    borrowing func forEachPage(
        of key: ConversationKey, after start: TimelineAnchor? = nil, onDamage: ((StoreError) throws -> Void)? = nil,
        _ body: (TimelinePage) throws -> Void
    ) throws {
        let size = Self.pageLimits.upperBound
        // No id is empty, so this sorts before the messages that have no time.
        var place = start ?? .order(MessageOrder(time: .unknown, id: ""))
        while true {
            try Interruption.check()
            let page = try timeline(of: key, .after(place), limit: size, onDamage: onDamage)
            try body(page)
            guard page.hasNewer else { return }
            guard let last = page.elements.last else {
                throw ToolError.store("\(size) messages in a row are damaged; continue with --after")
            }
            place = .message(.local(last.id))
        }
    }

    /// When a message was edited last; nil if it was not, or if its edits are not shown.
    borrowing func editedTime(of message: Message) throws -> Timestamp? {
        guard message.isModified else { return nil }
        var (time, next): (Timestamp?, PageCursor?) = (nil, nil)
        repeat {
            let page = try edits(
                of: .local(message.id), in: message.conversation, after: next, limit: Self.pageLimits.upperBound)
            time = page.elements.last?.time ?? time
            next = page.next
        } while next != nil
        return time
    }

    /// The files of a message: by the host's events, and the one that its content names. None if it was recalled or
    /// redacted.
    borrowing func files(of message: Message) throws -> [ShownFile] {
        guard !message.isRecalled, !message.isRedacted else { return [] }
        var files = try message.attachments.map { attachment in
            ShownFile(
                number: Int(attachment.index), path: attachment.localPath, url: attachment.remoteURL,
                bytes: try byteCount(of: attachment, of: message).map { Int64(clamping: $0) },
                state: attachment.state.description)
        }
        let types: Set<ContentType> = [.image, .audio, .video, .file]
        // The other payloads with a file have it under the same key.
        guard types.contains(message.content.type), let file = try? FilePayload(decoding: message.content).file else {
            return files
        }
        if files.first?.number != 0 { files.insert(ShownFile(number: 0), at: 0) }
        files[0].name = file.name
        files[0].path = files[0].path ?? file.path
        files[0].url = files[0].url ?? file.url
        files[0].bytes = files[0].bytes ?? file.byteCount
        return files
    }
}

/// A file of a message.
struct ShownFile: Encodable {
    let number: Int
    var name: String?
    /// The path on this device.
    var path: String?
    var url: String?
    var bytes: Int64?
    var state: String?

    /// The name, else the end of the path or URL.
    var shownName: String {
        let last = (path ?? url)?.split(separator: "/").last.map { String($0) }
        return name.flatMap { $0.isEmpty ? nil : $0 } ?? last ?? "file"
    }
}

/// Shown messages as JSON lines.
struct MessageLines {
    static let format = "messagestore-messages"

    let isGzip: Bool

    /// Writes a header, each conversation with its messages, and a trailer to standard output.
    func write(_ shown: ShownMessages, _ views: borrowing Views) throws {
        let writer = try LineWriter(isGzip: isGzip)
        func write(_ line: String, _ object: JSONObject) throws {
            try writer.write(JSON.line(JSONObject(object, ["line": line])))
        }
        try write(
            "store",
            [
                "format": Self.format, "formatVersion": 1, "account": shown.account, "position": views.position,
            ])
        try shown.forEachConversation(views) { conversation in
            let output = ConversationOutput(conversation)
            try write("conversation", JSONObject(output, ["key": conversation.key.description]))
            try shown.forEachPage(of: conversation, views) { page in
                for message in page.elements {
                    try write("message", object(message, hasGapBefore: shown.gaps.contains(message.id), views))
                }
            }
        }
        try write("end", ["conversations": shown.conversations, "messages": shown.messages])
        try writer.finish()
    }

    /// A message as `messages --json` prints it, with more facts.
    private func object(_ message: Message, hasGapBefore: Bool, _ views: borrowing Views) throws -> JSONObject {
        var output = try MessageOutput(message, views)
        if hasGapBefore { output.hasGapBefore = true }
        let (content, context) = (message.content, message.context)
        let reactions = try views.reactions(to: .local(message.id), in: message.conversation)
        let files = try views.files(of: message)
        return JSONObject(
            output,
            [
                "key": message.conversation.description, "read": message.isRead,
                "localOnly": message.isLocal ? true : nil, "failureCode": message.failureCode,
                "deliveredTime": message.deliveredTime, "readTime": message.readTime,
                "editedTime": try views.editedTime(of: message), "replyTo": context.replyTo?.rawValue,
                "forwardOf": context.forwardOf?.rawValue,
                "mentions": context.mentions.isEmpty ? nil : context.mentions.map(\.rawValue),
                "mentionsEveryone": context.mentionsEveryone ? true : nil,
                "data": content.data.isEmpty ? nil : Data(content.data),
                "attributes": content.attributes.isEmpty ? nil : Data(content.attributes),
                "reactions": reactions.isEmpty ? nil : reactions.map(ShownReaction.init),
                "files": files.isEmpty ? nil : files,
            ])
    }
}

/// A reaction as JSON.
private struct ShownReaction: Encodable {
    let (key, count): (String, Int)
    let users: [String]

    init(_ reaction: Reaction) { (key, count, users) = (reaction.key, reaction.count, reaction.users.map(\.rawValue)) }
}
