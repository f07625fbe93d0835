import MessageStore
import Synchronization

/// The app's side: its users, its filter of directed messages, and what it noted.
final class ChatKitApp: Sendable {
    static let hidden = "This message is for some members of the group."

    private let asked = Mutex<[[String]]>([])
    private let badges = Mutex<[Int]>([])
    private let hanging = Mutex<[@Sendable () -> Void]>([])
    private let users = ["Tom": "Thomas", "Jerry": "Gerald"]

    /// For whom the block was asked.
    var requests: [[String]] { asked.withLock { $0 } }
    /// The badges it was told, in order.
    var badge: [Int] { badges.withLock { $0 } }
    func mark(_ count: Int) { badges.withLock { $0.append(count) } }

    /// The blocks for a user of the app.
    func blocks(for clientId: String) -> LCCKBlocks {
        LCCKBlocks(
            fetchProfiles: { userIds, completionHandler in
                self.asked.withLock { $0.append(userIds.sorted()) }
                // Nothing ever comes back for her: the block hangs.
                guard !userIds.contains("Toodles") else {
                    return self.hanging.withLock { $0.append { completionHandler(nil, nil) } }
                }
                completionHandler(
                    userIds.map { id in
                        LCCKUser(
                            userId: "app-\(id)", name: self.users[id], avatarURL: "https://a.example.com/\(id)",
                            clientId: id)
                    }, nil)
            },
            filterMessages: { conversation, messages, completionHandler in
                guard conversation == .group else { return completionHandler(messages, nil) }
                completionHandler(
                    messages.compactMap { message in
                        guard case .array(let listed) = message.attribute(LCCKVCardMessage.onlyVisible) else {
                            return message
                        }
                        guard !listed.isEmpty else { return nil }
                        guard !listed.contains(.string(clientId)) else { return message }
                        var shown = message
                        shown.becomeText(Self.hidden)
                        return shown
                    }, nil)
            })
    }
}
