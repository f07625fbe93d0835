/// A store that takes the backlog: MessageStore itself, or something that it is compared with.
protocol SyncPeer: AnyObject {
    /// Makes the peer's own form of these packages. Not timed: a client has it from the network.
    func prepare(_ packages: [[SyncEvent]], hasMore: Bool) throws
    /// Records a prepared package, durable on return.
    func ingest(_ package: Int) throws
    /// Records the prepared packages from the first on, durable on return.
    ///
    /// - Parameter acknowledge: Called once a package, in their order, as soon as the package is durable.
    /// - Returns: When each was recorded.
    func ingestAll(_ count: Int, acknowledge: @escaping @Sendable () -> Void) throws -> [PackageTime]
    /// Erases messages, durable on return.
    func erase(_ erasure: Erasure) throws
    /// Why the peer cannot take part in a scenario; nil where it can.
    func obstacle(to scenario: ChatSync.Scenario) -> String?
    /// Reads the list and the unread total, where the peer has such views.
    func readViews() throws
    /// Writes out whatever the peer keeps in memory.
    func flush() throws
    /// What the views say; nil where the peer has none.
    func digest() throws -> ViewDigest?
    /// How many of the events can be read again, one by one; nil where none can.
    func keptEvents() throws -> Int?
    /// Durable commits so far, where the peer can tell them.
    func commits() throws -> Int?
    /// Releases the files.
    func close() throws
}

extension SyncPeer {
    /// One after the other.
    func ingestAll(_ count: Int, acknowledge: @escaping @Sendable () -> Void) throws -> [PackageTime] {
        try ingestOneByOne(count, acknowledge: acknowledge)
    }

    func erase(_ erasure: Erasure) throws { throw Failure("this peer erases nothing") }
    func obstacle(to scenario: ChatSync.Scenario) -> String? { nil }
    func readViews() throws {}
    func flush() throws {}
    func digest() throws -> ViewDigest? { nil }
    func keptEvents() throws -> Int? { nil }
    func commits() throws -> Int? { nil }
}

/// A peer that writes bytes and keeps no views: how fast a store without any could be.
protocol FloorPeer: SyncPeer {}

extension FloorPeer {
    func obstacle(to scenario: ChatSync.Scenario) -> String? {
        switch scenario {
        case .behind, .conversations, .late: nil
        case .again: "recognises nothing that comes again"
        case .killed: "has no views to compare after the kill"
        case .erasing: "has no messages that could be erased"
        }
    }
}

/// The bytes of the log's records and where its commits end, so that peers without an encoding of their own write as
/// much.
struct RecordSizes: Codable {
    var sizes: [Int] = []
    /// For each commit the number of records up to its end.
    var commitEnds: [Int] = []

    /// The records of one commit; the last commit's where there are fewer commits.
    func records(ofCommit index: Int) -> ArraySlice<Int> {
        guard !commitEnds.isEmpty else { return [] }
        let last = min(index, commitEnds.count - 1)
        return sizes[(last == 0 ? 0 : commitEnds[last - 1])..<commitEnds[last]]
    }

    /// A record's size, whichever number is asked for.
    func size(_ index: Int) -> Int { sizes.isEmpty ? 0 : sizes[index % sizes.count] }
}
