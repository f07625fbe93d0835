import Foundation
import MessageStore
import MessageStoreMatrix

extension MatrixServer {
    /// Signs in by a password; a device that is named keeps its messages' transaction ids.
    func signIn(user: String, password: String, device: String? = nil) async throws -> MatrixSession {
        var body: [String: JSONValue] = [
            "type": .string("m.login.password"), "password": .string(password),
            "identifier": .object(["type": .string("m.id.user"), "user": .string(user)]),
            "initial_device_display_name": .string("MatrixChat"),
        ]
        if let device { body["device_id"] = .string(device) }
        let answer = try await call(.post, ["v3", "login"], body: .object(body))
        return MatrixSession(
            address: address, user: try answer.required("user_id"), device: try answer.required("device_id"),
            token: try answer.required("access_token", longest: JSONValue.longestToken))
    }

    /// The news since a response's `next_batch`; waits so long for some.
    func sync(since: String?, timelineLimit: Int, waiting: Duration) async throws -> JSONValue {
        let filter = """
            {"room":{"timeline":{"limit":\(timelineLimit)}},"presence":{"types":[]}}
            """
        let seconds = waiting.components.seconds
        var query = ["filter": filter, "timeout": "\(seconds * 1000)"]
        query["since"] = since
        return try await call(.get, ["v3", "sync"], query: query, timeout: waiting + .seconds(60))
    }

    /// The events of a room before a place, newest first; from its end without one.
    func messages(of room: String, before place: String?, limit: Int) async throws -> JSONValue {
        // Thousands of people may have come and gone between two messages.
        let filter = #"{"not_types":["m.room.member"]}"#
        var query = ["dir": "b", "limit": "\(limit)", "filter": filter]
        query["from"] = place
        return try await call(.get, ["v3", "rooms", room, "messages"], query: query)
    }

    /// An event of a room.
    func event(_ event: String, of room: String) async throws -> JSONValue {
        try await call(.get, ["v3", "rooms", room, "event", event])
    }

    /// The place in a room just before an event, or just after it.
    func place(of event: String, in room: String, isAfter: Bool) async throws -> String {
        let answer = try await call(.get, ["v3", "rooms", room, "context", event], query: ["limit": "0"])
        return try answer.required(isAfter ? "end" : "start", longest: JSONValue.longestToken)
    }

    /// The last event of a room up to a time.
    func lastEvent(of room: String, at time: Timestamp) async throws -> String {
        let query = ["dir": "b", "ts": "\(max(time.milliseconds, 0))"]
        return try await call(.get, ["v1", "rooms", room, "timestamp_to_event"], query: query).required("event_id")
    }

    /// Sends an event; the same transaction id again sends nothing, and returns the same event.
    func send(_ type: String, _ content: JSONValue, to room: String, transaction: String) async throws -> String {
        try await call(.put, ["v3", "rooms", room, "send", type, transaction], body: content).required("event_id")
    }

    /// Redacts an event.
    func redact(_ event: String, of room: String, reason: String?, transaction: String) async throws {
        let body = reason.map { ["reason": JSONValue.string($0)] } ?? [:]
        _ = try await call(.put, ["v3", "rooms", room, "redact", event, transaction], body: .object(body))
    }

    /// Sends the receipt that a room was read up to an event.
    func markRead(_ room: String, upTo event: String) async throws {
        let body = JSONValue.object(["m.fully_read": .string(event), "m.read": .string(event)])
        _ = try await call(.post, ["v3", "rooms", room, "read_markers"], body: body)
    }

    /// Joins a room by its id or alias.
    func join(_ room: String) async throws -> String {
        try await call(.post, ["v3", "join", room], body: .object([:])).required("room_id")
    }

    /// Creates a private room.
    func createRoom(name: String, inviting users: [String]) async throws -> String {
        let body = JSONValue.object([
            "name": .string(name), "preset": .string("private_chat"), "invite": .array(users.map { .string($0) }),
        ])
        return try await call(.post, ["v3", "createRoom"], body: body).required("room_id")
    }
}

extension JSONValue {
    /// The longest token that is taken from a server, in bytes.
    static let longestToken = 65_536

    /// A string member that an answer must have: an id that a store allows, or a token.
    func required(_ field: String, longest: Int = EventLimits.identifierBytes) throws -> String {
        guard let value = self[field]?.string, 1...longest ~= value.utf8.count else {
            throw MatrixError.invalidAnswer(field: field)
        }
        return value
    }
}
