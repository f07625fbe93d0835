import MessageStore

extension MatrixRoom {
    /// Receipts by event, kind and user, each with the event's place if it is known.
    ///
    /// - Returns: Whether this account's own are among them.
    mutating func apply(receipts content: JSONValue?) throws -> Bool {
        var isRead = false
        for (event, user, time) in Self.receipts(content) {
            let place = try places[event] ?? lookup.message(event, in: key)?.place
            if user == account {
                isRead = true
                // Without a place nothing can be said but what the server counts.
                guard let place else { skip(); continue }
                add(ConversationRead(upTo: place), id: event, "read", at: time)
            } else {
                let scope = place.map { ReceiptScope.upTo($0.time) } ?? .messages([.server(ServerMessageID(event))])
                add(MessageReadByPeer(scope, by: user, at: time), id: event, "read \(user)", at: time)
            }
        }
        return isRead
    }

    /// The receipts of a whole timeline, by event and user.
    static func receipts(_ content: JSONValue?) -> [(event: String, user: UserID, time: Timestamp)] {
        (content?.members ?? []).flatMap { event, kinds in
            ["m.read", "m.read.private"].flatMap { kind in
                (kinds[kind]?.members ?? []).compactMap { user, receipt in
                    guard receipt["thread_id"]?.string ?? "main" == "main" else { return nil }
                    return (event, UserID(user), Timestamp(milliseconds: receipt["ts"]?.integer ?? 0))
                }
            }
        }
    }

    /// The server's own count, up to the last message that it sent along. Reading that message ends the count here as well;
    /// a reaction or an edit after it could not be read. Without a message the count is that of this moment: a receipt of
    /// this account may end a count that the server made before it had the receipt.
    mutating func report(_ notifications: JSONValue?, upTo last: MatrixEvent?) {
        guard let count = notifications?["notification_count"]?.integer else { return }
        let mentions = notifications?["highlight_count"]?.integer ?? 0
        let reported = UnreadCountReported(
            UInt32(clamping: count), mentions: UInt32(clamping: min(mentions, count)), upTo: last?.place,
            at: last?.time)
        add(reported, id: cursor, "unread", at: last?.time ?? .unknown)
    }
}
