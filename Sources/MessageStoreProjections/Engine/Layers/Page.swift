@_spi(Storage) internal import MessageStoreLog

/// A query's results, and the place where its next page begins.
///
/// ```swift
/// var page = try await store.read { try $0.contacts() }
/// while let next = page.next {
///     page = try await store.read { try $0.contacts(after: next) }
/// }
/// ```
public struct Page<Element> {
    /// Results, in the order of the query.
    public let elements: [Element]
    /// The value that the query takes as `after` for the next page; nil at the end.
    public let next: PageCursor?

    /// Creates a page, for previews and tests.
    public init(_ elements: [Element], next: PageCursor? = nil) {
        self.elements = elements
        self.next = next
    }

    /// - Parameter found: One element more than fits shows that there is another page.
    package init(_ found: consuming [Element], limit: Int, next: (Element) throws -> PageCursor) rethrows {
        let hasMore = found.count > limit
        if hasMore { found.removeLast(found.count - limit) }
        let cursor = hasMore ? try found.last.map(next) : nil
        self.init(found, next: cursor)
    }
}

extension Page: Sendable where Element: Sendable {}
extension Page: Equatable where Element: Equatable {}
extension Page: Hashable where Element: Hashable {}

/// The end of a page, after which the next one begins.
///
/// A cursor belongs to the query that returned it, with the same arguments but for the limit, and to its store. It stays
/// valid while the store changes: the next page holds what follows the place that the last element had. As text it can
/// go to a client and come back. A query throws `invalidArgument` for a cursor of another kind of place, conversation,
/// order or mark; one of another query with the same kind of place, or a forged one, is at worst another place.
///
/// ```swift
/// let answer = page.next?.description                     // to a client
/// let cursor = answer.flatMap(PageCursor.init(_:))        // and back
/// ```
public struct PageCursor: Sendable, Hashable, LosslessStringConvertible {
    /// The kinds of places; a number is never given again.
    package enum Kind: UInt8 {
        case list = 1
        case match
        case user
        case conversation
        case message
        case thread
        case marked
        case member
        case file
        case version
        case row
        case hit
    }

    /// The number of the kind, which text from outside need not have.
    private let kind: UInt8
    private let place: [UInt8]

    package init(_ kind: Kind, _ place: [UInt8]) { (self.kind, self.place) = (kind.rawValue, place) }

    init(_ kind: Kind, _ key: some ViewKey) { self.init(kind, key.bytes) }

    init(_ order: OrderKey, in conversation: ConversationNumber) {
        self.init(.message, PlaceKey(conversation: conversation, order: order))
    }

    package init(_ user: UserID) { self.init(.user, Array(user.rawValue.utf8)) }

    /// Reads a cursor from its text; nil for another text.
    public init?(_ description: String) {
        guard let bytes = [UInt8](hexadecimal: description), let kind = bytes.first else { return nil }
        (self.kind, place) = (kind, Array(bytes.dropFirst()))
    }

    /// The cursor as text: digits and lower-case letters.
    public var description: String { ([kind] + place).span.bytes.hexadecimal }

    /// The place, which a cursor of another kind does not have.
    package func place(_ kind: Kind) throws -> [UInt8] {
        guard self.kind == kind.rawValue else { throw Self.mismatch }
        return place
    }

    func key<Key: ViewKey>(_ kind: Kind) throws -> Key {
        // A span of what `try` returns crashes the compiler (Swift 6.3.1).
        let place = try place(kind)
        guard let key = Key(key: place.span.bytes) else { throw Self.mismatch }
        return key
    }

    /// The place in a search below a position.
    package init(below position: Position) { self.init(.hit, position.rawValue.bigEndianBytes) }

    package func position() throws -> Position {
        let place = try place(.hit)
        guard let position = place.span.bytes.loadBigEndian(at: 0, as: UInt64.self) else { throw Self.mismatch }
        return Position(position)
    }

    /// The place in a conversation's order.
    func place(in conversation: ConversationNumber) throws -> OrderKey {
        let key: PlaceKey = try key(.message)
        guard key.conversation == conversation else { throw Self.mismatch }
        return key.order
    }

    package func user() throws -> UserID { UserID(String(decoding: try place(.user), as: UTF8.self)) }

    static var mismatch: StoreError { StoreError(.invalidArgument, "the cursor is of another query") }
}
