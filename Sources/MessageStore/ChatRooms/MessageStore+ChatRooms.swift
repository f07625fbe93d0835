internal import MessageStoreLMDB

extension MessageStore {
    /// Records that this account entered a chat room, and with it that it left the others.
    ///
    /// All of it is one commit: `ChatRoomLeft` with the reason `switched` for each other room that it was in, which
    /// purges that room, and `ChatRoomJoined`. Calls wait for each other, so that the account ends up in one room.
    ///
    /// - Parameters:
    ///   - room: The chat room.
    ///   - time: When, by the server's clock.
    ///   - leavingOthers: Whether the server allows one room at a time.
    /// - Throws: As `record(_:acknowledgement:)`; `invalidArgument` where `room` is no chat room.
    public func joinChatRoom(_ room: ConversationKey, at time: Timestamp, leavingOthers: Bool = true) throws {
        // From inside a read this throws, rather than wait for a thread that waits for that read to end.
        _ = try openedForWriting()
        try chatRoomSwitch.withLock { _ throws in
            let others = leavingOthers ? try read { try $0.joinedChatRooms() }.filter { $0 != room } : []
            let left = others.map { Event(ChatRoomLeft(.switched, at: time), in: $0) }
            try record(left + [Event(ChatRoomJoined(at: time), in: room)])
        }
    }

    /// Records that this account entered a chat room; the `async` form of `joinChatRoom(_:at:leavingOthers:)`.
    ///
    /// - Parameters:
    ///   - room: The chat room.
    ///   - time: When, by the server's clock.
    ///   - leavingOthers: Whether the server allows one room at a time.
    /// - Throws: As the synchronous one.
    public func joinChatRoom(_ room: ConversationKey, at time: Timestamp, leavingOthers: Bool = true) async throws {
        try await run(on: writeQueue) { try self.joinChatRoom(room, at: time, leavingOthers: leavingOthers) }
    }
}
