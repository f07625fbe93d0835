import MessageStore
import MessageStoreSearch
import MessageStoreTestKit
import Testing

/// A store with an index, and short ways to fill it.
final class SearchStore {
    let place: TemporaryStore
    private(set) var store: MessageStore
    static let chat = ConversationKey.group("friends")
    private var nextID = 0

    init(_ change: (inout MessageStore.Configuration) -> Void = { _ in }) throws {
        place = try TemporaryStore()
        store = try place.open { configuration in
            configuration.laggingProjections = [SearchIndex()]
            change(&configuration)
        }
    }

    /// Records a picture with the name of a file; answers its local id.
    @discardableResult
    func receive(file name: String, _ text: String? = nil, id: ServerMessageID? = nil) throws -> LocalMessageID {
        let content = try ImagePayload(MediaFile(url: "https://example.com/1", name: name), text: text).encode()
        nextID += 1
        let event = Event.received(
            id ?? "m\(nextID)", from: "bob", in: Self.chat, at: Timestamp(milliseconds: Int64(nextID)), content: content
        )
        return LocalMessageID(try #require(try store.record(event).position).rawValue)
    }

    /// Records a message; answers its local id.
    @discardableResult
    func receive(
        _ text: String, from sender: UserID = "bob", in conversation: ConversationKey = chat, at time: Int64? = nil,
        id: ServerMessageID? = nil, type: ContentType = .text, context: MessageContext = .none
    ) throws -> LocalMessageID {
        nextID += 1
        let content = MessageContent(type: type, text: text)
        let event = Event.received(
            id ?? "m\(nextID)", from: sender, in: conversation, at: Timestamp(milliseconds: time ?? Int64(nextID)),
            content: content, context: context)
        let position = try store.record(event).position
        return LocalMessageID(try #require(position).rawValue)
    }

    /// Lets the index catch up.
    func index() throws { try store.catchUp(SearchIndex.id) }

    /// The texts that a search finds, over all pages of a size.
    func texts(_ query: SearchQuery, pageSize: Int = 20) throws -> [String] {
        try hits(query, pageSize: pageSize).map(\.text)
    }

    func texts(_ typed: String) throws -> [String] { try texts(SearchQuery(typed)) }

    func hits(_ query: SearchQuery, pageSize: Int = 20) throws -> [SearchHit] {
        var hits: [SearchHit] = []
        var next: PageCursor?
        repeat {
            let page = try store.search(query, after: next, limit: pageSize)
            hits += page.elements
            next = page.next
        } while next != nil
        return hits
    }

    /// Closes the store and opens it again.
    func reopen(_ change: (inout MessageStore.Configuration) -> Void = { _ in }) throws {
        try store.close()
        store = try place.open { configuration in
            configuration.laggingProjections = [SearchIndex()]
            change(&configuration)
        }
    }
}
