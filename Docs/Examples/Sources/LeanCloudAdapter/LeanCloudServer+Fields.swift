import Foundation
import MessageStore

extension LeanCloudServer.Conversation {
    /// The id alone is the identity; a client knows of a chat room that it is one.
    var key: ConversationKey { isTransient ? .chatRoom(id) : .id(id) }

    /// What kind it is. Whether two people talk or a group, an app keeps in an attribute, else the members tell.
    private var kind: ConversationKind? {
        if isTransient { return nil }
        if isSystem { return .system }
        switch attributes["type"] {
        case .integer(0): return .single
        case .integer(1): return .group
        default: return members.count == 2 ? .single : .group
        }
    }

    func fields() throws -> ConversationFields {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return ConversationFields(
            name: name, creator: UserID(creator), attributes: Array(try encoder.encode(attributes)),
            kind: kind)
    }
}
