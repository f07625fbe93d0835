@_spi(Storage) internal import MessageStoreLog

/// A server's count of the unread messages of a conversation, reported alone or in a summary.
struct ReportedCount {
    let count: UInt32
    let mentions: UInt32
    /// The last message that the server counted.
    let upTo: OrderKey?
    /// When, by the server's clock.
    let time: Timestamp?

    /// Whether it is a number alone, which speaks of the moment at which it was recorded.
    var isAlone: Bool { upTo == nil && time == nil }
}

extension RecordView {
    /// The server's count that the event reports; nil if it reports none.
    var reportedCount: ReportedCount? {
        switch type {
        case .unreadCountReported:
            return ReportedCount(
                count: self[UnreadCountReported.count], mentions: self[UnreadCountReported.mentions],
                upTo: order(UnreadCountReported.upTo.field), time: serverTime)
        case .conversationSummaryReceived:
            guard let count = self[ConversationSummaryReceived.count] else { return nil }
            return ReportedCount(
                count: count, mentions: self[ConversationSummaryReceived.mentions] ?? 0,
                upTo: order(ConversationSummaryReceived.upTo.field), time: serverTime)
        default: return nil
        }
    }
}

extension ViewSnapshot {
    /// Up to where a server's count applies: the place that it names, else all that is known and all that was sent
    /// before its time; nil for a number alone.
    borrowing func place(of report: ReportedCount, _ event: RecordView) throws -> OrderKey? {
        if let upTo = report.upTo { return upTo }
        guard let time = report.time else { return nil }
        let newest = try newestTold(in: event.conversationNumber, asOf: event).order
        return max(newest ?? .belowAll, OrderKey(MessageOrder(time: time)))
    }
}
