/// What a query found, and where its next page begins.
///
/// ```swift
/// var page = try await store.read { try $0.contacts() }
/// while let last = page.next {
///     page = try await store.read { try $0.contacts(after: last) }
/// }
/// ```
public struct Page<Element, Cursor> {
    /// What was found, in the order of the query.
    public let elements: [Element]
    /// What the query takes as `after` for the next page; nil at the end.
    public let next: Cursor?

    /// Creates a page, for previews and tests.
    public init(_ elements: [Element], next: Cursor? = nil) {
        self.elements = elements
        self.next = next
    }

    /// - Parameter found: One element more than fits shows that there is another page.
    init(_ found: [Element], limit: Int, next: (Element) -> Cursor) {
        let hasMore = found.count > limit
        elements = hasMore ? Array(found.prefix(limit)) : found
        self.next = hasMore ? elements.last.map(next) : nil
    }
}

extension Page: Sendable where Element: Sendable, Cursor: Sendable {}
extension Page: Equatable where Element: Equatable, Cursor: Equatable {}
extension Page: Hashable where Element: Hashable, Cursor: Hashable {}

/// A page of conversations.
public typealias ConversationPage = Page<Conversation, ConversationCursor>

extension Views {
    /// The limits that pages may have.
    public static var pageLimits: ClosedRange<Int> { 1...1000 }

    /// Checks a page's size.
    package static func check(limit: Int) throws {
        guard pageLimits.contains(limit) else {
            throw StoreError(.invalidArgument, "a limit of \(limit); 1 to 1000 are allowed")
        }
    }
}
