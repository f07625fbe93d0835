import MessageStore

/// How far an own message has come.
enum AVIMMessageStatus: Sendable {
    case none, sending, sent, delivered, failed

    init(_ status: MessageStatus) {
        switch status {
        case .sending: self = .sending
        case .failed: self = .failed
        case .sent: self = .sent
        case .delivered, .read: self = .delivered
        default: self = .none
        }
    }
}
