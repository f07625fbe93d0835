/// A directory through which any process hands events to the process that writes a store: a push extension, a share
/// extension, a helper.
///
/// ```swift
/// let inbox = Inbox(at: "/path/to/shared/inbox", account: "alice")
/// try inbox.handOver([.received("m1", from: "bob", in: .group("g1"), at: .now, content: .text("hello"))])
/// ```
///
/// It works like a Maildir: each call writes one file under a name of its own, so that any number of processes use it at
/// once and none ever holds a lock, which a system could kill a suspended process for. The store named it in its
/// configuration records the files, whether it is open at the moment or is opened later.
///
/// - **Durability:** when ``handOver(_:)`` returns, the events are on the medium. They are recorded when the store
///   is open: in the order of the files, the events of one file in one commit.
/// - **Exactly once:** a file that is recorded twice, since its process was killed in between, changes nothing. Events
///   without an id get one that is made of the file's name.
/// - **Memory:** that of the events and their file. No database is opened.
///
/// ``waiting()`` says what the store has yet to record, so that a notification can count it.
public struct Inbox: Sendable, Hashable {
    /// How much may wait in an inbox.
    public struct Limits: Sendable, Hashable {
        /// Files that wait. Default: 4,096.
        public var files = 4096
        /// Their bytes. Default: 64 MB.
        public var bytes = 64 << 20

        /// The defaults.
        public init() {}
    }

    /// Bytes of the largest file; more events are handed over in several calls.
    public static let maximumFileBytes = InboxFile.maximumBytes

    /// The directory.
    public let path: String
    /// The account whose store the events are for.
    public let account: UserID
    private let limits: Limits

    /// Names the directory; the first ``handOver(_:)`` creates it if its parent exists.
    ///
    /// - Parameters:
    ///   - path: The directory, the same as in the configuration of the store. Each account's store needs one of its own.
    ///   - account: The account whose store it is, 1 to 255 bytes. Files of other accounts are rejected by the store.
    ///   - limits: What may wait.
    public init(at path: String, account: UserID, limits: Limits = Limits()) {
        (self.path, self.account, self.limits) = (path, account, limits)
    }

    /// Hands over events, all or none: they are durable when this returns.
    ///
    /// Costs a listing of the files that wait and two flushes, whatever the number of events.
    ///
    /// - Parameter events: In the order in which they are to be recorded; none is harmless. Events of the host's own types
    ///   are written with the fields that they declare, and the store has to have the types registered.
    /// - Throws: `StoreError`, and nothing is handed over, unless the last flush failed (`inputOutput`) while the store
    ///   recorded the file at once: `inboxFull` where too much waits; `invalidArgument` where an
    ///   event breaks a rule, the file would be larger than ``maximumFileBytes``, or the parent of the directory does not
    ///   exist; `diskFull`, `permissionDenied`, `notAStore` where the directory is something else, and others.
    public func handOver(_ events: [Event]) throws {
        guard !events.isEmpty else { return }
        try StoreError.translating {
            let bytes = try InboxFile.encode(events, for: account)
            let directory = try InboxDirectory(path)
            try directory.create()
            let waiting = try directory.waiting(limit: limits.files)
            guard waiting.files < limits.files, bytes.count <= limits.bytes,
                waiting.bytes <= limits.bytes - bytes.count
            else {
                throw StoreError(
                    .inboxFull, "\(waiting.files) files with \(waiting.bytes) bytes wait to be recorded", path: path)
            }
            try directory.add(bytes)
        }
    }
}
