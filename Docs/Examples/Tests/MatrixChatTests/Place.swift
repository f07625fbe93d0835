import Foundation
import MatrixClient
import MessageStore
import Testing

/// A directory of a client's, removed with this value.
final class Place: Sendable {
    let path = FileManager.default.temporaryDirectory.path + "/matrix-chat-" + UUID().uuidString

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Creates the directory and returns its path.
    func create() throws -> String {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// A client that signs in as this user, on a new device.
    func signIn(_ user: String, timelineLimit: Int = 30) async throws -> MatrixClient {
        let address = try Synapse.address.get()
        return try await MatrixClient.signIn(
            to: address, user: user, password: "secret", in: path, timelineLimit: timelineLimit)
    }

    /// The client of the session that the directory has.
    func open() async throws -> MatrixClient {
        guard let client = try await MatrixClient.open(path) else { throw MatrixError.signedOut }
        return client
    }
}

extension MatrixClient {
    /// Syncs until a condition holds, twenty seconds at most.
    func sync(until condition: @escaping @Sendable (borrowing Views) throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            if try await store.read(condition) { return }
            try await sync(waiting: .seconds(1))
        }
        Issue.record("the condition never held")
    }

    /// The whole timeline, fetched back to its beginning.
    func rows(of room: ConversationKey) async throws -> [Peer.Row] {
        var messages: [Message] = []
        var page = try await history(of: room)
        while let oldest = page.elements.first {
            messages = page.elements + messages
            if page.reachesBeginning, !page.hasOlder { break }
            page = try await history(of: room, before: oldest)
        }
        return try await shownRows(messages, in: room)
    }

    private func shownRows(_ messages: [Message], in room: ConversationKey) async throws -> [Peer.Row] {
        try await store.read { views in
            try messages.map { message in
                var row = Peer.Row(
                    id: message.serverID?.rawValue ?? "", sender: message.sender.rawValue,
                    text: message.isRecalled ? nil : message.text)
                for reaction in try views.reactions(to: .local(message.id), in: room) {
                    row.reactions[reaction.key] = Set(reaction.users.map(\.rawValue))
                }
                return row
            }
        }
    }

    func message(_ id: String, in room: ConversationKey) async throws -> Message {
        let message = try await store.read { try $0.message(.server(ServerMessageID(id)), in: room) }
        return try #require(message)
    }

    func texts(of room: ConversationKey) async throws -> [String?] {
        try await store.read { try $0.timeline(of: room, limit: 100).elements.map(\.text) }
    }

    func unread(of room: ConversationKey) async throws -> Int {
        try await store.read { try $0.unread(of: room).messages }
    }
}
