import MessageStore
import MessageStoreMatrix
import Synchronization

/// Older messages from the server, which fill the gaps that limited timelines leave.
///
/// A page of the server has reactions, edits and redactions as well, mostly of messages in other pages: these are
/// recorded here, and the messages by the store.
final class MatrixHistory: HistoryProvider {
    private struct Opened {
        let server: MatrixServer
        /// The store keeps its provider, which must not keep the store.
        weak var store: MessageStore?
    }

    private let opened = Mutex<Opened?>(nil)

    /// Sets the store that asks, once it is open, and the server that answers.
    func use(_ store: MessageStore, _ server: MatrixServer) {
        opened.withLock { $0 = Opened(server: server, store: store) }
    }

    func page(
        of conversation: ConversationKey, before anchor: MessageOrder?, limit: Int
    ) async throws -> RemoteHistoryPage {
        guard let opened = opened.withLock({ $0 }), let store = opened.store else { throw MatrixError.signedOut }
        let (events, isWhole) = try await Self.events(of: conversation.id, before: anchor, limit: limit, opened.server)
        let rules = MatrixRules(store, allowsTimesInSeconds: true)
        let package = try rules.package(ofHistory: events, in: conversation)
        var page = RemoteHistoryPage(messages: [], reachesBeginning: isWhole)
        var others: [Event] = []
        for event in package.events {
            // The server's order is not that of the senders' clocks: a message that it has before the anchor may have a
            // later time, and then has no place in the page.
            if let message = event.payload as? MessageReceived, message.isOlder(than: anchor) {
                page.messages.append(message)
            } else {
                others.append(event)
            }
        }
        if !others.isEmpty { try await store.record(others) }
        return page
    }

    /// The events before a place, oldest first, with so many messages before the anchor's time at least, and whether they
    /// reach back to the first.
    private static func events(
        of room: String, before anchor: MessageOrder?, limit: Int, _ server: MatrixServer
    ) async throws -> (events: [MatrixEvent], isWhole: Bool) {
        var events: [MatrixEvent] = []
        var place = try await place(of: anchor, in: room, server)
        while true {
            let answer = try await server.messages(of: room, before: place, limit: limit)
            guard let chunk = answer["chunk"]?.array else { throw MatrixError.invalidAnswer(field: "chunk") }
            events += chunk.compactMap { MatrixEvent($0) }
            guard answer["end"] != nil, events.last?.type != "m.room.create" else { return (events.reversed(), true) }
            let next = try answer.required("end", longest: JSONValue.longestToken)
            let found = events.count { event in event.isMessage && anchor.map { event.place < $0 } ?? true }
            if found >= limit { return (events.reversed(), false) }
            // A server that never moves on would be asked for ever.
            guard next != place else { throw MatrixError.invalidAnswer(field: "end") }
            place = next
            try Task.checkCancellation()
        }
    }

    /// The server's place of an anchor. It is asked for, so that nothing but the message's id need be kept for a gap.
    private static func place(of anchor: MessageOrder?, in room: String, _ server: MatrixServer) async throws -> String?
    {
        guard let anchor else { return nil }
        if let id = anchor.id { return try await server.place(of: id.rawValue, in: room, isAfter: false) }
        let event = try await server.lastEvent(of: room, at: anchor.time)
        return try await server.place(of: event, in: room, isAfter: true)
    }
}

extension MessageReceived {
    fileprivate func isOlder(than anchor: MessageOrder?) -> Bool {
        anchor.map { MessageOrder(time: sentTime, id: serverID) < $0 } ?? true
    }
}
