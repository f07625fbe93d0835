import MessageStore
import Synchronization

/// The kit's notices that a user or a team became known or changed, by which it draws anew.
final class NIMKitNotices: Sendable {
    private let changes = Mutex<[String]>([])

    /// Whose rows were drawn anew, in order.
    var redrawn: [String] { changes.withLock { $0 } }

    func notfiyUserInfoChanged(_ userId: String) { changes.withLock { $0.append(userId) } }
    func notfiyTeamInfoChanged(_ teamId: String) { changes.withLock { $0.append(teamId) } }

    /// Calls both for what the store learns; ends with the store.
    func follow(_ store: MessageStore) async throws {
        let fetched = EventFilter(types: [.profilesFetched, .teamInfoFetched])
        for try await event in store.tail(after: .origin, where: fetched) {
            switch event.event.payload {
            case let users as ProfilesFetched: for user in users.profiles { notfiyUserInfoChanged(user.id.rawValue) }
            case let teams as TeamInfoFetched: for team in teams.teams { notfiyTeamInfoChanged(team.id.id) }
            default: break
            }
        }
    }
}
