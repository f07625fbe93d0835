/// How many members have read a message and how many have not, as a server counts them.
public struct ReadCounts: Hashable, Sendable {
    /// Members who have read it.
    public var read: UInt32
    /// Members who have not.
    public var unread: UInt32

    /// Creates the counts.
    public init(read: UInt32, unread: UInt32) {
        self.read = read
        self.unread = unread
    }
}
