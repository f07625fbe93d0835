import AdapterSupport

/// The server in memory: keeps what comes while the account is offline, and hands it out in packages of 200.
final class RongCloudServer {
    /// What the server sends in one frame.
    struct Package {
        let messages: [RCMessage]
        let hasMore: Bool
    }

    let script = ScriptedServer()
    /// After how many packages the next connection breaks; nil if it holds.
    var breaksAfter: Int?
    private(set) var isReachable = false
    private var backlog: [RCMessage] = []

    /// Somebody writes.
    func message(
        _ content: RCMessageContent, in targetId: String = "friends",
        _ type: RCConversationType = .ConversationType_GROUP, from sender: String = "bob"
    ) -> RCMessage {
        let stamp = script.stamp()
        return RCMessage(
            conversationType: type, targetId: targetId, senderUserId: sender, messageUId: stamp.id,
            sentTime: stamp.time.milliseconds, content: content)
    }

    func keep(_ messages: [RCMessage]) { backlog += messages }

    func connect() { isReachable = true }

    func packageArrived() {
        breaksAfter = breaksAfter.map { $0 - 1 }
        guard breaksAfter == 0 else { return }
        (isReachable, breaksAfter) = (false, nil)
    }

    /// The packages for an account that connects; it keeps them until they are confirmed.
    func packages() -> [Package] {
        stride(from: 0, to: backlog.count, by: 200).map { start in
            let end = min(start + 200, backlog.count)
            return Package(messages: Array(backlog[start..<end]), hasMore: end < backlog.count)
        }
    }

    /// The account has everything.
    func confirm() { backlog = [] }
}
