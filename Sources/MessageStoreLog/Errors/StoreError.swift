/// An error of the store: a code, a message, and where it occurred. It never contains the text of a message.
///
/// Switch on ``code``; the rest is for logs and people.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A kind of failure. Codes may be added, so every `switch` needs a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) {
            self.name = name
        }

        /// An event, identifier, time or query parameter breaks a documented rule; nothing was changed.
        public static let invalidArgument = Code("invalidArgument")
        /// A named message, conversation or position does not exist.
        public static let notFound = Code("notFound")
        /// There is no store at the path.
        public static let storeMissing = Code("storeMissing")
        /// The path holds something other than a store; it was not changed.
        public static let notAStore = Code("notAStore")
        /// The store was written by a newer version of this library than this one can read.
        public static let newerFormat = Code("newerFormat")
        /// The store belongs to another account than the one asked for.
        public static let accountMismatch = Code("accountMismatch")
        /// The log's file, its directory or the store's identity file is missing, empty, truncated or damaged.
        ///
        /// It was not replaced. The log is the only copy of the events: restore the store from a backup, salvage what can
        /// be read into a new one, or remove it and fetch its content from the server again.
        public static let logDamaged = Code("logDamaged")
        /// The log lacks events that the store's views were made from: its last commits were lost, or an older copy was
        /// put in its place. ``StoreError/position`` is the position that the views have reached.
        ///
        /// Nothing was changed. Put the newer log back if there is one, salvage the lost events, or open the store with
        /// `acceptsOlderLog` to go on without them.
        public static let logRolledBack = Code("logRolledBack")
        /// One record of the log is missing or fails its checksum; see ``StoreError/position``.
        ///
        /// Records before and after it can still be read. Restore the store from a backup to recover it, or salvage the
        /// others into a new store.
        public static let recordDamaged = Code("recordDamaged")
        /// A row or a file of the views is damaged; the log, from which they are made, is not known to be.
        ///
        /// Nothing is lost. Call `rebuild()`, which makes new views from the log. A store that is open for
        /// reading only cannot do so; open it for writing once.
        public static let viewsDamaged = Code("viewsDamaged")
        /// The projection is being rebuilt after a change of its version or rules; ``StoreError/position`` is the
        /// position reached. Queries of other projections work.
        public static let rebuilding = Code("rebuilding")
        /// A host's projection stopped at an event that it could not fold; see ``StoreError/position``. Rebuild it to try
        /// again.
        public static let projectionFailed = Code("projectionFailed")
        /// The store is open already, in this process or for writing in another.
        public static let alreadyOpen = Code("alreadyOpen")
        /// The store is open for reading only and cannot write.
        public static let readOnly = Code("readOnly")
        /// The store was closed.
        public static let closed = Code("closed")
        /// The store was used from inside a read of the same store, which could deadlock.
        public static let nestedAccess = Code("nestedAccess")
        /// The disk is full, or a quota or limit on the size of files is reached; nothing of the batch was recorded, and reads
        /// continue to work. Make room and try again.
        public static let diskFull = Code("diskFull")
        /// Too many reads are open at once, over all processes; see `MessageStore.openReadOnly`. Nothing is wrong with the
        /// store: try again when some have ended.
        public static let tooManyReaders = Code("tooManyReaders")
        /// Writing the very end of a commit failed, and the store could not be made usable again while it was open.
        ///
        /// Nothing that was acknowledged is lost. Whether the batch that failed was recorded is not known. Close the store
        /// and open it again; until then nothing can be read or written.
        public static let mustReopen = Code("mustReopen")
        /// The file system denied access.
        public static let permissionDenied = Code("permissionDenied")
        /// Another failure of the file system or the database; see the description.
        public static let inputOutput = Code("inputOutput")
        /// A host's hook threw or did not answer in time.
        public static let hookFailed = Code("hookFailed")
        /// The configuration lacks the hook that the call needs.
        public static let hookMissing = Code("hookMissing")

        /// The value as it is shown to people.
        public var description: String { name }
    }

    /// The kind of failure.
    public let code: Code
    /// What was attempted and what is wrong with it, in words.
    public let message: String
    /// The position in the log that the error is about, if any.
    public let position: Position?
    /// The file or directory that the error is about, if any.
    public let path: String?

    package init(_ code: Code, _ message: String, position: Position? = nil, path: String? = nil) {
        self.code = code
        self.message = message
        self.position = position
        self.path = path
    }

    /// Code, message, position and path in one line.
    public var description: String {
        var text = "\(code): \(message)"
        if let position { text += " (position \(position))" }
        if let path { text += " [\(path)]" }
        return text
    }
}
