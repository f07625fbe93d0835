/// The files that one look into the inbox recorded and rejected.
public struct InboxReport: Sendable, Hashable {
    /// Files whose events are recorded now, those that were recorded before included.
    public internal(set) var files = 0
    /// New events.
    public internal(set) var events = 0
    /// Files that were put into the directory `bad`, with the reason next to each.
    public internal(set) var rejected = 0
}

/// The files of a store's inbox.
public struct InboxStatistics: Sendable, Hashable {
    /// Files that wait to be recorded.
    public let waitingFiles: Int
    /// Their bytes.
    public let waitingBytes: Int
    /// Files that could not be recorded and are kept in the directory `bad`.
    public let rejectedFiles: Int
}
