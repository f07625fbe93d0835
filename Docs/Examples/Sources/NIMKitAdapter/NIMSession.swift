import MessageStore

/// A session: one person, a team or a chat room, by the SDK's numbers.
struct NIMSession: Sendable, Equatable {
    enum SessionType: Int, Sendable {
        case P2P = 0
        case team = 1
        case chatroom = 2
    }

    var sessionId: String
    var sessionType: SessionType

    init(_ sessionId: String, _ sessionType: SessionType) {
        (self.sessionId, self.sessionType) = (sessionId, sessionType)
    }

    init?(_ key: ConversationKey) {
        switch key.kind {
        case .single: self.init(key.id, .P2P)
        case .group: self.init(key.id, .team)
        case .chatRoom: self.init(key.id, .chatroom)
        default: return nil
        }
    }

    var key: ConversationKey {
        switch sessionType {
        case .P2P: .single(sessionId)
        case .team: .group(sessionId)
        case .chatroom: .chatRoom(sessionId)
        }
    }
}
