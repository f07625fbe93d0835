import AdapterSupport
import MessageStore

extension SPIMManager {
    typealias Success = (_ messageId: UInt64, _ uniqueId: String) -> Void
    typealias Failure = (_ errorCode: Int32, _ messageId: UInt64) -> Void

    /// Sends a message.
    ///
    /// - Returns: The message with its local id, under which the callbacks name it; 0 where its type is not stored.
    func sendMessage(
        _ message: SPMessage, toSession session: SPSessionModel, success: Success, error: Failure
    ) throws -> SPMessage {
        guard let store, let content = message.content else { throw SPIMError.invalidCall }
        let (token, policy) = (ClientToken.unique(), type(of: content).getMessageProfileType().policy)
        var sent = message
        (sent.sessionId, sent.sessionType, sent.isOutgoing) = (session.sessionId, session.sessionType, true)
        guard policy.isStored else {
            switch send(token) {
            case .success(let receipt): success(0, receipt.id)
            case .failure(let refusal): error(refusal.code, 0)
            }
            return sent
        }
        let queued = MessageSendQueued(content: try stored(content), clientToken: token, policy: policy)
        let local = try store.send(queued, to: session.key)
        sent.messageId = local.rawValue
        try transmit(local, token, in: session.key, success, error)
        return sent
    }

    /// Sends a message again that failed.
    func resendMessage(_ messageId: UInt64, success: Success, error: Failure) throws {
        let local = LocalMessageID(messageId)
        guard let store, let message = try store.read({ try $0.message(local) }), let token = message.clientToken
        else { throw SPIMError.unknownMessage }
        try store.record(.sendRetried(local, in: message.conversation))
        try transmit(local, token, in: message.conversation, success, error)
    }

    private func transmit(
        _ local: LocalMessageID, _ token: ClientToken, in conversation: ConversationKey, _ success: Success,
        _ error: Failure
    ) throws {
        switch send(token) {
        case .success(let receipt):
            // The callback tells no time; the next copy of the message does.
            try store?.record(.sent(local, as: ServerMessageID(receipt.id), in: conversation))
            success(local.rawValue, receipt.id)
        case .failure(let refusal):
            try store?.record(.sendFailed(local, in: conversation, code: refusal.code))
            error(refusal.code, local.rawValue)
        }
    }

    private func send(_ token: ClientToken) -> Result<ScriptedServer.Receipt, ScriptedServer.Refusal> {
        Result { () throws(ScriptedServer.Refusal) in try server.script.send(token: token) }
    }

    private func stored(_ content: some SPMessageContentProtocol) throws -> MessageContent {
        try SPPayload(content).encode()
    }
}
