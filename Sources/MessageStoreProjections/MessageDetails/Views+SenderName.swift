extension Views {
    /// The name to show for a message's sender: this account's own remark, else the nickname in its conversation, else
    /// the profile's name, else the name that came with the message, else the id.
    ///
    /// In chat rooms, whose users have no fetched profiles, the name that came with the message comes first.
    ///
    /// - Parameter message: The message, as returned by a query.
    /// - Throws: `StoreError`.
    public borrowing func senderName(of message: Message) throws -> String {
        let carried = message.senderProfile?.name.flatMap { $0.isEmpty ? nil : $0 }
        if let carried, message.conversation.kind == .chatRoom { return carried }
        let known = try displayName(of: message.sender, in: message.conversation)
        return known == message.sender.rawValue ? carried ?? known : known
    }
}
