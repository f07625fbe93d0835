import Foundation
import MessageStore

extension LeanCloudServer.Conversation {
    /// Also a conversation of two is a group: the service has one kind.
    var key: ConversationKey { isTransient ? .chatRoom(id) : .group(id) }

    func fields() throws -> ConversationFields {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return ConversationFields(
            name: name, creator: UserID(creator), attributes: Array(try encoder.encode(attributes)))
    }
}
