/// The unread count of a conversation and its reasons, as JSON.
struct UnreadOutput: Encodable, Equatable {
    /// The server's report.
    struct Report: Encodable, Equatable {
        let messages: Int
        let mentions: Int
        let upTo: MessageOrder?
        let time: Timestamp?
    }

    let messages: Int
    let mentions: Int
    let markedUnread: Bool
    /// Whether messages may be missing above the read marker.
    let lowerBound: Bool
    let readUpTo: MessageOrder?
    let report: Report?

    init(_ count: UnreadCount) {
        (messages, mentions, markedUnread) = (count.messages, count.mentions, count.isMarkedUnread)
        (lowerBound, readUpTo) = (count.isLowerBound, count.readUpTo)
        report = count.report.map {
            Report(messages: Int($0.count), mentions: Int($0.mentions), upTo: $0.upTo, time: $0.time)
        }
    }
}
