import AdapterSupport
import MessageStore

extension AVIMConversation {
    /// Sends a message, or one that failed again. It is stored and shown before the service is asked.
    ///
    /// - Throws: `AVIMError.server` where the service did not accept it; the message has failed then, and can be sent again.
    func sendMessage(_ message: AVIMMessage, options: AVIMMessageSendOption = .none) throws {
        let store = try client.store()
        guard options != .transient else {
            _ = try transmit(try message.stored(), token: .unique(), options: options)
            return
        }
        let (local, token) = try queue(message, options: options)
        let content = try upload(message, local) ?? message.stored()
        do {
            let receipt = try transmit(content, token: token, options: options)
            try store.record(.sent(local, as: ServerMessageID(receipt.id), in: key, at: receipt.time))
        } catch AVIMError.server(let code) {
            try store.record(.sendFailed(local, in: key, code: code))
            try refresh(message, local)
            throw AVIMError.server(code)
        }
        try refresh(message, local)
    }

    private func queue(
        _ message: AVIMMessage, options: AVIMMessageSendOption
    ) throws -> (LocalMessageID, ClientToken) {
        let store = try client.store()
        if let local = message.localId, let token = try store.read({ try $0.message(local)?.clientToken }) {
            try store.record(.sendRetried(local, in: key))
            return (local, token)
        }
        let token = ClientToken.unique()
        let queued = MessageSendQueued(
            content: try message.stored(), clientToken: token, needsReceipt: options == .requestReceipt)
        let local = try store.send(queued, to: key)
        try refresh(message, local)
        return (local, token)
    }

    /// Uploads the message's file, if it has one that is not on the server.
    ///
    /// - Returns: What to send then.
    private func upload(_ message: AVIMMessage, _ local: LocalMessageID) throws -> MessageContent? {
        guard let typed = message as? AVIMTypedMessage, let path = typed.attachedFilePath else { return nil }
        let store = try client.store()
        let reference = MessageReference.local(local)
        try store.record(Event(AttachmentStateChanged(reference, state: .uploading, localPath: path), in: key))
        for fraction in [0.5, 1] { store.publish(.uploadProgress(local, fraction: fraction), in: key) }
        let url = "https://files.example.com/\(local.rawValue).\(typed.file?.format ?? "bin")"
        try store.record(
            Event(AttachmentStateChanged(reference, state: .uploaded, localPath: path, remoteURL: url), in: key))
        return try typed.sent(withFileAt: url)
    }

    private func transmit(
        _ content: MessageContent, token: ClientToken, options: AVIMMessageSendOption
    ) throws -> ScriptedServer.Receipt {
        do throws(ScriptedServer.Refusal) {
            return try client.server.send(content, token: token, options: options, from: client.clientId, to: key.id)
        } catch {
            throw AVIMError.server(error.code)
        }
    }

    private func refresh(_ message: AVIMMessage, _ local: LocalMessageID) throws {
        if let stored = try client.store().read({ try $0.message(local) }) { message.update(stored) }
    }
}
