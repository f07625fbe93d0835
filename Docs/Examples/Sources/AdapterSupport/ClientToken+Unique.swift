import Foundation
import MessageStore

extension ClientToken {
    /// A token for a message to be sent, unlike that of any other message of this account, on whatever device.
    package static func unique() -> ClientToken { ClientToken(UUID().uuidString) }
}
