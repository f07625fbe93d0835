extension Views {
    /// Whether a message that was queued in a conversation with this token has no id of the server yet, so that a copy
    /// with the token may be its echo. Costs a few point reads.
    package borrowing func awaitsEcho(
        _ token: ClientToken, of sender: UserID, in conversation: ConversationKey
    ) throws -> Bool {
        guard let number = try snapshot.symbols.number(of: conversation),
            let user = try snapshot.symbols.number(of: sender)
        else { return false }
        let bytes = Array(token.rawValue.utf8)
        let identity = Identity(.clientToken, scope: user.rawValue, bytes: bytes.span.bytes)
        guard let position = try snapshot.position(of: identity) else { return false }
        return try snapshot.isUnacknowledged(LocalMessageID(position.rawValue), in: number)
    }
}
