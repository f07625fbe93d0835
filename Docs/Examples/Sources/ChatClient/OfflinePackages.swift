import MessageStore

/// The packages that the server keeps for this account, from a cursor on.
struct OfflinePackages: AsyncSequence, AsyncIteratorProtocol {
    let server: Server
    /// Behind the last package that was fetched.
    var cursor: Int
    private var index: UInt32 = 0
    private var hasMore = true

    init(server: Server, after cursor: Int) {
        self.server = server
        self.cursor = cursor
    }

    mutating func next() async -> OfflinePackage? {
        guard hasMore else { return nil }
        let package = await server.package(after: cursor, limit: 50)
        let events = package.messages.map { $0.event(origin: .offline) }
        defer { (cursor, hasMore, index) = (package.cursor, package.hasMore, index + 1) }
        // The cursor is part of the package's own commit: after a crash neither is there without the other.
        return OfflinePackage(
            index: index, events: events, hasMore: package.hasMore, cursor: Client.place(package.cursor))
    }

    func makeAsyncIterator() -> OfflinePackages { self }
}
