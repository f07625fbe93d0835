import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A user of the server by plain calls, so that expectations come from the server and not from the code under test.
final class Peer: Sendable {
    /// A message as the server has it, with edits, redactions and reactions applied.
    struct Row: Equatable {
        let id: String
        let sender: String
        /// Nil where it was redacted.
        var text: String?
        /// Who reacted, by key.
        var reactions: [String: Set<String>] = [:]
    }

    struct Refused: Error {
        let status: Int
        let code: String?
    }

    let user: String
    let token: String
    private let address: String

    init(_ name: String) async throws {
        address = try Synapse.address.get()
        let body: [String: Any] = [
            "type": "m.login.password", "password": "secret", "identifier": ["type": "m.id.user", "user": name],
        ]
        let answer = try await Self.call("POST", address, ["login"], body: body, token: nil)
        (user, token) = (answer["user_id"] as? String ?? "", answer["access_token"] as? String ?? "")
    }

    /// The same user on a device that is signed in already.
    init(user: String, token: String) throws {
        (address, self.user, self.token) = (try Synapse.address.get(), user, token)
    }

    // MARK: Doing

    func createRoom(_ name: String, inviting users: [Peer] = [], isDirect: Bool = false) async throws -> String {
        let body: [String: Any] = [
            "name": name, "preset": "private_chat", "invite": users.map(\.user), "is_direct": isDirect,
        ]
        let room = try await call("POST", ["createRoom"], body)["room_id"] as? String ?? ""
        for user in users { _ = try await user.call("POST", ["join", room], [:]) }
        return room
    }

    @discardableResult
    func send(_ text: String, to room: String, transaction: String = UUID().uuidString) async throws -> String {
        try await send("m.room.message", ["msgtype": "m.text", "body": text], to: room, transaction: transaction)
    }

    @discardableResult
    func send(
        _ type: String, _ content: [String: Any], to room: String, transaction: String = UUID().uuidString
    ) async throws -> String {
        try await call("PUT", ["rooms", room, "send", type, transaction], content)["event_id"] as? String ?? ""
    }

    func send(_ texts: [String], to room: String) async throws -> [String] {
        var ids: [String] = []
        for text in texts { ids.append(try await send(text, to: room)) }
        return ids
    }

    @discardableResult
    func edit(_ message: String, to text: String, in room: String) async throws -> String {
        let new = ["msgtype": "m.text", "body": text]
        let relation = ["rel_type": "m.replace", "event_id": message]
        return try await send(
            "m.room.message",
            ["msgtype": "m.text", "body": "* \(text)", "m.new_content": new, "m.relates_to": relation], to: room)
    }

    @discardableResult
    func react(_ key: String, to message: String, in room: String) async throws -> String {
        let relation = ["rel_type": "m.annotation", "event_id": message, "key": key]
        return try await send("m.reaction", ["m.relates_to": relation], to: room)
    }

    func redact(_ event: String, in room: String) async throws {
        _ = try await call("PUT", ["rooms", room, "redact", event, UUID().uuidString], [:])
    }

    func read(upTo event: String, in room: String) async throws {
        _ = try await call("POST", ["rooms", room, "receipt", "m.read", event], [:])
    }

    func invite(_ user: String, to room: String) async throws {
        _ = try await call("POST", ["rooms", room, "invite"], ["user_id": user])
    }

    func leave(_ room: String) async throws {
        _ = try await call("POST", ["rooms", room, "leave"], [:])
    }

    /// Makes these the rooms that are direct.
    func setDirect(_ rooms: [String], with user: String) async throws {
        _ = try await call("PUT", ["user", self.user, "account_data", "m.direct"], [user: rooms])
    }

    func setName(_ name: String) async throws {
        _ = try await call("PUT", ["profile", user, "displayname"], ["displayname": name])
    }

    // MARK: Asking

    /// The whole timeline, oldest message first.
    func rows(of room: String) async throws -> [Row] {
        var rows: [Row] = []
        func index(_ relation: [String: Any]) -> Int? { rows.firstIndex { $0.id == relation["event_id"] as? String } }
        for event in try await events(of: room) where event["state_key"] == nil {
            let (id, sender) = (event["event_id"] as? String ?? "", event["sender"] as? String ?? "")
            let content = event["content"] as? [String: Any] ?? [:]
            let relation = content["m.relates_to"] as? [String: Any] ?? [:]
            switch (event["type"] as? String, relation["rel_type"] as? String) {
            case ("m.room.message", "m.replace"):
                guard let index = index(relation), rows[index].sender == sender, rows[index].text != nil else {
                    continue
                }
                rows[index].text = (content["m.new_content"] as? [String: Any])?["body"] as? String
            case ("m.room.message", _):
                rows.append(Row(id: id, sender: sender, text: content["body"] as? String))
            case ("m.reaction", "m.annotation"):
                guard let index = index(relation) else { continue }
                rows[index].reactions[relation["key"] as? String ?? "", default: []].insert(sender)
            default: break
            }
        }
        return rows
    }

    /// All events of a room, oldest first.
    private func events(of room: String) async throws -> [[String: Any]] {
        var events: [[String: Any]] = []
        var query = ["dir": "b", "limit": "100"]
        while true {
            let answer = try await call("GET", ["rooms", room, "messages"], query: query)
            events += answer["chunk"] as? [[String: Any]] ?? []
            guard let end = answer["end"] as? String else { return events.reversed() }
            query["from"] = end
        }
    }

    /// What the server says of a joined room.
    private func joined(_ room: String) async throws -> [String: Any] {
        let rooms = try await call("GET", ["sync"], query: ["timeout": "0"])["rooms"] as? [String: Any]
        return (rooms?["join"] as? [String: Any])?[room] as? [String: Any] ?? [:]
    }

    func notificationCount(of room: String) async throws -> Int? {
        (try await joined(room)["unread_notifications"] as? [String: Any])?["notification_count"] as? Int
    }

    /// The event up to which a user has read a room.
    func receipt(of user: String, in room: String) async throws -> String? {
        let ephemeral = try await joined(room)["ephemeral"] as? [String: Any]
        let receipts = (ephemeral?["events"] as? [[String: Any]] ?? []).first { $0["type"] as? String == "m.receipt" }
        let content = receipts?["content"] as? [String: [String: [String: Any]]] ?? [:]
        return content.first { $0.value["m.read"]?[user] != nil }?.key
    }

    // MARK: Calling

    private func call(
        _ method: String, _ path: [String], _ body: [String: Any]? = nil, query: [String: String] = [:]
    ) async throws -> [String: Any] {
        try await Self.call(method, address, path, query: query, body: body, token: token)
    }

    private static func call(
        _ method: String, _ address: String, _ path: [String], query: [String: String] = [:], body: [String: Any]?,
        token: String?
    ) async throws -> [String: Any] {
        let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        func escaped(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: plain) ?? "" }
        let pairs = query.map { escaped($0.key) + "=" + escaped($0.value) }.joined(separator: "&")
        let text = address + "/_matrix/client/v3/" + path.map(escaped).joined(separator: "/") + "?" + pairs
        guard let url = URL(string: text) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        if let token { request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization") }
        request.httpBody = try body.map { try JSONSerialization.data(withJSONObject: $0) }
        let (data, response) = try await URLSession.shared.data(for: request)
        let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else { throw Refused(status: status, code: answer["errcode"] as? String) }
        return answer
    }
}
