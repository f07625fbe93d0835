internal import Foundation

/// The conversations and messages that the views show, one after the other.
final class ShownMessages {
    let account: UserID
    /// The conversations to go through; empty for all.
    let chosen: Set<ConversationKey>
    /// The messages before which others may be missing.
    private(set) var gaps: Set<LocalMessageID> = []
    private(set) var (conversations, messages) = (0, 0)
    private var progress = ProgressLine(label: "exporting")

    /// - Parameter arguments: The conversations, as arguments name them; none for all.
    init(_ arguments: [String], of account: UserID, _ views: borrowing Views) throws {
        (self.account, chosen) = (account, try Set(arguments.map { try findConversation($0, views) }))
        try views.forEachGap { if let after = $0.after { gaps.insert(after) } }
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
            try show(try views.conversation(key) ?? Conversation(key: key, unread: views.unread(of: key)))
        }
        progress.finish()
    }

    /// Calls `body` with the pages of a conversation, oldest first; with an empty one if it shows no message.
    func forEachPage(of key: ConversationKey, _ views: borrowing Views, _ body: (TimelinePage) throws -> Void) throws {
        try views.forEachPage(of: key) { page in
            try Interruption.check()
            try body(page)
            messages += page.elements.count
            progress.update(done: messages)
        }
    }

    /// Writes JSON lines to standard output: a header, each conversation before its messages, and a trailer.
    func writeLines(_ views: borrowing Views, isGzip: Bool) throws {
        let writer = try LineWriter(isGzip: isGzip)
        func write(_ line: String, _ object: JSONObject) throws {
            try writer.write(JSON.line(JSONObject(object, ["line": line])))
        }
        try write(
            "store",
            ["format": "messagestore-messages", "formatVersion": 1, "account": account, "position": views.position])
        try forEachConversation(views) { conversation in
            try write("conversation", JSONObject(conversation.facts))
            try forEachPage(of: conversation.key, views) { page in
                for message in page.elements { try write("message", object(message, views)) }
            }
        }
        try write("end", ["conversations": conversations, "messages": messages])
        try writer.finish()
    }

    private func object(_ message: Message, _ views: borrowing Views) throws -> JSONObject {
        let (content, context, files) = (message.content, message.context, try views.files(of: message))
        let reactions = try views.shownReactions(to: message)
            .map { ["key": $0.key, "count": $0.count, "users": $0.users] as JSONObject }
        return JSONObject(
            JSONObject(try views.facts(of: message)),
            [
                "hasGapBefore": gaps.contains(message.id) ? true : nil,
                "mentions": context.mentions.isEmpty ? nil : context.mentions,
                "mentionsEveryone": context.mentionsEveryone ? true : nil,
                "data": content.data.isEmpty ? nil : Data(content.data),
                "attributes": content.attributes.isEmpty ? nil : Data(content.attributes),
                "reactions": reactions.isEmpty ? nil : reactions,
                "files": files.isEmpty ? nil : files.map { JSONObject($0.facts) },
            ])
    }
}

extension Conversation {
    /// The facts that every list of conversations prints, and more for exports.
    var facts: [Fact] {
        ConversationOutput(self).facts + [
            Fact("key", key.description), Fact("readUpTo", unread.readUpTo?.time),
            Fact("lastMessage", lastMessage.map { .number(Int(clamping: $0.id.rawValue)) } ?? .absent),
        ]
    }
}

extension Views {
    /// Calls `body` with pages of a conversation's messages, oldest first.
    ///
    /// - Parameter start: The place after which the first page begins; nil for the beginning.
    borrowing func forEachPage(
        of key: ConversationKey, after start: TimelineAnchor? = nil, onDamage: ((StoreError) throws -> Void)? = nil,
        _ body: (TimelinePage) throws -> Void
    ) throws {
        let size = Self.pageLimits.upperBound
        // No id is empty, so this sorts before the messages that have no time.
        var place = start ?? .order(MessageOrder(time: .unknown, id: ""))
        while true {
            let page = try timeline(of: key, .after(place), limit: size, onDamage: onDamage)
            try body(page)
            guard page.hasNewer else { return }
            guard let last = page.elements.last else {
                throw ToolError.store("\(size) messages in a row are damaged; continue with --after")
            }
            place = .message(.local(last.id))
        }
    }

    /// The facts that `messages --json` prints of a message, and more for exports.
    borrowing func facts(of message: Message) throws -> [Fact] {
        let reference = MessageReference.local(message.id)
        let edits = message.isModified ? try edits(of: reference, in: message.conversation, limit: 1_000) : Page([])
        return try MessageOutput(message, self).facts + [
            Fact("key", message.conversation.description), Fact("recordedTime", message.recordedTime),
            Fact("read", message.isRead.map { .flag($0) } ?? .absent), Fact("countsUnread", message.countsUnread),
            Fact("editedTime", edits.next == nil ? edits.elements.last?.time : nil),
            Fact("deliveredTime", message.deliveredTime), Fact("readTime", message.readTime),
            Fact("replyTo", message.context.replyTo?.rawValue), Fact("forwardOf", message.context.forwardOf?.rawValue),
        ]
    }

    /// The reactions to a message; none if it was recalled.
    borrowing func shownReactions(to message: Message) throws -> [Reaction] {
        message.isRecalled ? [] : try reactions(to: .local(message.id), in: message.conversation)
    }

    /// The files of a message: by the host's events, and the one that its content names. None if it was recalled or
    /// redacted.
    borrowing func files(of message: Message) throws -> [ShownFile] {
        guard !message.isRecalled, !message.isRedacted else { return [] }
        var files = try message.attachments.map { file in
            let bytes = try byteCount(of: file, of: message).map { Int64(clamping: $0) }
            return ShownFile(
                number: Int(file.index),
                file: MediaFile(url: file.remoteURL, path: file.localPath, byteCount: bytes), state: file.state)
        }
        let types: Set<ContentType> = [.image, .audio, .video, .file]
        // All of them have the file under one key.
        guard types.contains(message.content.type), let named = try? FilePayload(decoding: message.content).file else {
            return files
        }
        if files.first?.number != 0 { files.insert(ShownFile(number: 0, file: named), at: 0) }
        let known = files[0].file
        files[0].file = MediaFile(
            url: known.url ?? named.url, path: known.path ?? named.path, name: named.name,
            byteCount: known.byteCount ?? named.byteCount)
        return files
    }
}

/// A file of a message.
struct ShownFile {
    let number: Int
    var file: MediaFile
    var state: AttachmentState?

    var facts: [Fact] {
        [
            Fact("number", number), Fact("name", file.name), Fact("path", file.path), Fact("url", file.url),
            Fact("bytes", file.byteCount.map { .number(Int(clamping: $0)) } ?? .absent),
            Fact("state", state?.description),
        ]
    }
}
