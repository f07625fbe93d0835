import AdapterSupport
import MessageStore

/// A conversation on screen, without the screen.
final class LCCKConversationViewController {
    private let kit: LCChatKit
    private let key: ConversationKey

    init(_ kit: LCChatKit, _ key: ConversationKey) { (self.kit, self.key) = (kit, key) }

    func messages() throws -> [Message] { try kit.store.read { try $0.timeline(of: key).elements } }

    /// How many messages of all conversations are to be sent.
    func outboxCount() throws -> Int { try kit.store.read { try $0.outbox().count } }

    /// What each bubble shows: the text, the card's user, or the words for a type that is not known.
    func bubbles() throws -> [String] {
        try messages().map { message in
            switch kit.store.contentTypes.decode(message.content) {
            case .payload(let card as LCCKVCardMessage):
                "card of \(try kit.getCachedProfileIfExists(card.clientId)?.name ?? card.clientId)"
            case .payload: message.text ?? "[\(message.content.type)]"
            case .unknown(let degradeText): degradeText ?? "[\(message.content.type)]"
            }
        }
    }

    /// Sends a message of the app's own type.
    func sendCustomMessage(
        _ customMessage: some MessagePayload, progressBlock: (_ percentDone: Int) -> Void, success: () -> Void,
        failed: (_ code: Int32) -> Void
    ) throws -> LocalMessageID {
        let token = ClientToken.unique()
        let local = try kit.store.send(
            MessageSendQueued(content: try customMessage.encode(), clientToken: token), to: key)
        for percent in [50, 100] {
            kit.store.publish(.uploadProgress(local, fraction: Double(percent) / 100), in: key)
            progressBlock(percent)
        }
        try transmit(local, token, success, failed)
        return local
    }

    /// Sends a failed message again.
    func resend(_ local: LocalMessageID, success: () -> Void, failed: (_ code: Int32) -> Void) throws {
        guard let token = try kit.store.read({ try $0.message(local)?.clientToken }) else { return }
        try kit.store.record(.sendRetried(local, in: key))
        try transmit(local, token, success, failed)
    }

    private func transmit(
        _ local: LocalMessageID, _ token: ClientToken, _ success: () -> Void, _ failed: (_ code: Int32) -> Void
    ) throws {
        let answer = Result { () throws(ScriptedServer.Refusal) in try kit.server.send(token: token) }
        switch answer {
        case .success(let receipt):
            try kit.store.record(.sent(local, as: ServerMessageID(receipt.id), in: key, at: receipt.time))
            success()
        case .failure(let refusal):
            try kit.store.record(.sendFailed(local, in: key, code: refusal.code))
            failed(refusal.code)
        }
    }

    /// A line below the messages that only this device shows.
    func sendLocalFeedbackTextMessge(_ text: String) throws {
        try kit.store.record(
            Event(MessageInsertedLocally(content: .text(text), time: kit.server.clock.next()), in: key))
    }

    /// The menu of a long press: forwards a message to another conversation.
    func forward(_ message: Message, to other: ConversationKey) throws -> LocalMessageID {
        let context = MessageContext(forwardOf: message.serverID)
        return try kit.store.send(
            MessageSendQueued(content: message.content, clientToken: .unique(), context: context), to: other)
    }

    /// `setPreviewImageMessageBlock:`: the pictures of the conversation, and which of them was tapped.
    func previewImageMessage(
        _ tapped: Message, block: (_ index: Int, _ allVisibleImages: [String], _ allVisibleThumbs: [String]) -> Void
    ) throws {
        let page = try kit.store.read { try $0.media(in: key, .around(.message(.local(tapped.id)))) }
        let images = page.elements.compactMap { message -> ImagePayload? in
            guard case .payload(let image as ImagePayload) = kit.store.contentTypes.decode(message.content) else {
                return nil
            }
            return image
        }
        block(page.index ?? 0, images.compactMap(\.file.url), images.compactMap { $0.thumbnail?.url })
    }

    /// `setPreviewLocationMessageBlock:`
    func previewLocationMessage(_ tapped: Message, block: (_ location: LocationPayload) -> Void) {
        if case .payload(let location as LocationPayload) = kit.store.contentTypes.decode(tapped.content) {
            block(location)
        }
    }
}
