import AdapterSupport
import MessageStore

/// The server in memory.
final class SpiderServer {
    /// A message on the wire.
    struct Frame {
        let uniqueId: String
        let session: SPSessionModel
        let senderId: String
        let time: Timestamp
        let content: MessageContent
        let profile: SPMessageProfileType
        var token: ClientToken?

        func event(origin: Origin) -> Event {
            .received(
                ServerMessageID(uniqueId), from: UserID(senderId), in: session.key, at: time, content: content,
                clientToken: token, policy: profile.policy, origin: origin)
        }
    }

    let script = ScriptedServer()
    private var backlog: [Frame] = []

    /// Somebody writes.
    func frame(
        _ content: some SPMessageContentProtocol, in session: SPSessionModel, from sender: String = "bob"
    ) throws -> Frame {
        let stamp = script.stamp()
        return Frame(
            uniqueId: stamp.id, session: session, senderId: sender, time: stamp.time,
            content: try SPPayload(content).encode(), profile: type(of: content).getMessageProfileType())
    }

    func keep(_ frames: [Frame]) { backlog += frames }

    /// What was kept for an account that connects, until it is confirmed.
    func fetch() -> [Frame] { backlog }

    /// The account has everything.
    func confirm() { backlog = [] }

    func accept(_ sign: String) -> Bool { sign == "signed" }
}
