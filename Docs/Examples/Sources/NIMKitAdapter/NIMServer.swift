import AdapterSupport
import MessageStore
import Synchronization

/// The app's server and the service's cloud in memory: users, teams, and messages of the past.
final class NIMServer: Sendable, ProfileProvider, TeamProvider, HistoryProvider {
    private struct State {
        var names: [String: String] = [:]
        var teams: [String: TeamInfo] = [:]
        var cloud: [ConversationKey: [MessageReceived]] = [:]
        var userRequests: [[String]] = []
        var receipts: [String] = []
    }

    let script = ScriptedServer()
    private let state = Mutex(State())

    func name(_ userId: String, _ name: String) { state.withLock { $0.names[userId] = name } }
    func team(_ team: TeamInfo) { state.withLock { $0.teams[team.id.id] = team } }

    /// For whom the app was asked, request by request.
    var userRequests: [[String]] { state.withLock { $0.userRequests } }
    /// For which messages a receipt was sent.
    var receipts: [String] { state.withLock { $0.receipts } }
    func receipt(for id: String) { state.withLock { $0.receipts.append(id) } }

    /// Somebody writes; the cloud keeps it.
    func message(
        _ content: MessageContent, in session: NIMSession, from sender: String = "bob", needsReceipt: Bool = false,
        senderProfile: SenderProfile? = nil
    ) -> MessageReceived {
        let stamp = script.stamp()
        let message = MessageReceived(
            serverID: ServerMessageID(stamp.id), sender: UserID(sender), sentTime: stamp.time, content: content,
            needsReceipt: needsReceipt, senderProfile: senderProfile)
        state.withLock { $0.cloud[session.key, default: []].append(message) }
        return message
    }

    func profiles(for users: [UserID]) async throws -> [Profile] {
        state.withLock { state in
            state.userRequests.append(users.map(\.rawValue).sorted())
            return users.compactMap { user in
                state.names[user.rawValue].map {
                    Profile(id: user, name: $0, avatarURL: "https://a.example.com/\(user.rawValue)")
                }
            }
        }
    }

    func teams(for ids: [ConversationKey]) async throws -> [TeamInfo] {
        state.withLock { state in ids.compactMap { state.teams[$0.id] } }
    }

    func page(
        of conversation: ConversationKey, before anchor: MessageOrder?, limit: Int
    ) async throws -> RemoteHistoryPage {
        let all = state.withLock { $0.cloud[conversation] ?? [] }
        let older = all.filter { message in
            anchor.map { MessageOrder(time: message.sentTime, id: message.serverID) < $0 } ?? true
        }
        return RemoteHistoryPage(messages: older.suffix(limit), reachesBeginning: older.count <= limit)
    }
}
