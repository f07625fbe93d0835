package import MessageStoreLMDB

/// An error of the store: a code, a message, and where it occurred. It never contains the text of a message.
///
/// Switch on ``code``; the rest is for logs and people.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A kind of failure. Codes may be added, so every `switch` needs a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        /// A number of the kind, for interfaces that have numbers alone; it never changes and is never used again.
        public let number: Int

        private init(_ name: String, _ number: Int) {
            self.name = name
            self.number = number
        }

        /// An event, identifier, time or query parameter breaks a documented rule; nothing was changed.
        public static let invalidArgument = Code("invalidArgument", 1)
        /// A named message, conversation or position does not exist.
        public static let notFound = Code("notFound", 2)
        /// There is no store at the path.
        public static let storeMissing = Code("storeMissing", 3)
        /// The path holds something other than a store; it was not changed.
        public static let notAStore = Code("notAStore", 4)
        /// The store was written by a newer version of this library than this one can read.
        public static let newerFormat = Code("newerFormat", 5)
        /// The store belongs to another account than the one asked for.
        public static let accountMismatch = Code("accountMismatch", 6)
        /// The log's file, its directory or the store's identity file is missing, empty, truncated or damaged.
        ///
        /// It was not replaced. The log is the only copy of the events: restore the store from a backup, salvage what
        /// can be read into a new one, or remove it and fetch its content from the server again.
        public static let logDamaged = Code("logDamaged", 7)
        /// The log lacks events that the store's views were made from: its last commits were lost, or an older copy was
        /// put in its place. ``StoreError/position`` is the position that the views have reached.
        ///
        /// Nothing was changed. Put the newer log back if there is one, salvage the lost events, or open the store with
        /// `allowsRollback` to go on without them.
        public static let logRolledBack = Code("logRolledBack", 8)
        /// One record of the log is missing or fails its checksum; see ``StoreError/position``.
        ///
        /// Records before and after it can still be read. Restore the store from a backup to recover it, or salvage the
        /// others into a new store.
        public static let recordDamaged = Code("recordDamaged", 9)
        /// A row or a file of the views is damaged; the log, from which they are made, is not known to be.
        ///
        /// Nothing is lost. Call `rebuild()`, which makes new views from the log. A store that is open for
        /// reading only cannot do so; open it for writing once.
        public static let viewsDamaged = Code("viewsDamaged", 10)
        /// The projection is being rebuilt after a change of its version or rules; ``StoreError/position`` is the
        /// position reached. Queries of other projections work.
        public static let rebuilding = Code("rebuilding", 11)
        /// A host's projection stopped at an event that it could not fold; see ``StoreError/position``. Rebuild it to
        /// try again.
        public static let projectionFailed = Code("projectionFailed", 12)
        /// The store is open already, in this process or for writing in another.
        public static let alreadyOpen = Code("alreadyOpen", 13)
        /// The store is open for reading only and cannot write.
        public static let readOnly = Code("readOnly", 14)
        /// The store was closed.
        public static let closed = Code("closed", 15)
        /// The store was used from inside a read of the same store, which could deadlock.
        public static let nestedAccess = Code("nestedAccess", 16)
        /// The disk is full, or a quota or limit on the size of files is reached; nothing of the batch was recorded,
        /// and reads continue to work. Make room and try again.
        public static let diskFull = Code("diskFull", 17)
        /// Too many reads are open at once, over all processes; see `MessageStore.openReadOnly`. Nothing is wrong with
        /// the store: try again when some have ended.
        public static let tooManyReaders = Code("tooManyReaders", 18)
        /// Writing the very end of a commit failed, and the store could not be made usable again while it was open.
        ///
        /// Nothing that was acknowledged is lost. Whether the batch that failed was recorded is not known. Close the
        /// store and open it again; until then nothing can be read or written.
        public static let mustReopen = Code("mustReopen", 19)
        /// The file system denied access.
        public static let permissionDenied = Code("permissionDenied", 20)
        /// Another failure of the file system or the database; see the description.
        public static let inputOutput = Code("inputOutput", 21)
        /// A host's hook threw or did not answer in time.
        public static let hookFailed = Code("hookFailed", 22)
        /// The configuration lacks the hook that the call needs.
        public static let hookMissing = Code("hookMissing", 23)
        /// A package of an offline sync is missing before this one; nothing was recorded. Record that one first.
        public static let packageMissing = Code("packageMissing", 24)
        /// A message to send has the client token of another that was queued, and another conversation or content;
        /// nothing was recorded. ``StoreError/position`` is the number of that other message.
        public static let tokenReused = Code("tokenReused", 25)
        /// A server time looks like one in seconds, where milliseconds belong; nothing was recorded. See
        /// `MessageStore.Configuration.Sync.allowsTimesInSeconds`.
        public static let invalidTime = Code("invalidTime", 26)
        /// A ledger of erasures, or a segment of a backup, is of another log than the backup; nothing was restored.
        public static let lineageMismatch = Code("lineageMismatch", 27)
        /// A segment of a backup does not exist, or the one before it is missing; nothing was restored.
        /// ``StoreError/position`` is the first position that is missing.
        public static let segmentMissing = Code("segmentMissing", 28)
        /// A segment of a backup is damaged or was cut off; nothing was restored.
        public static let segmentDamaged = Code("segmentDamaged", 29)
        /// Records at or before the position were cut off, because no answer of today needs them: the state at that
        /// position cannot be computed any more, and no segment begins there.
        public static let positionCut = Code("positionCut", 30)

        /// So many files, or so many bytes of them, wait in an inbox that no more are taken; nothing was handed over.
        ///
        /// The store that the inbox belongs to records them when it is open. Try again later, or leave the events to the
        /// next sync.
        public static let inboxFull = Code("inboxFull", 31)
        /// The store is suspended, so that its files and locks are free; it can be used again once it is resumed.
        public static let suspended = Code("suspended", 32)
        /// A lens is not whole, or of a later format. The store writes another one with its next change; until then an
        /// earlier one applies.
        public static let lensDamaged = Code("lensDamaged", 33)

        /// Two stores ship under one name and each has events that the other lacks, or another device continues the
        /// log; nothing was shipped. ``StoreError/position`` is the first position that differs. Restore the shipped log
        /// into a new store, and hand over again what only this one has.
        public static let lineageForked = Code("lineageForked", 34)
        /// A carrier could not be reached or answered with a failure; nothing is lost, and the next try continues.
        public static let carrierFailed = Code("carrierFailed", 35)
        /// A carrier refused the name, the secret or the rights; trying again does not help.
        public static let carrierRefused = Code("carrierRefused", 36)

        /// An erasure is recorded and not finished, because the process was killed, the disk is full or a rebuild was under
        /// way; ``StoreError/position`` is the event that erases.
        ///
        /// The event stays recorded. The store finishes the erasure within a minute, while it is open for writing, or at
        /// its next opening for writing; until then reads of other processes throw this.
        public static let erasureUnfinished = Code("erasureUnfinished", 37)

        /// The process has no address space, or no memory, for the files of the store; nothing was changed.
        ///
        /// A smaller `Configuration.mapBytes` needs less at the opening. On iOS the entitlement
        /// `com.apple.developer.kernel.extended-virtual-addressing` gives a process more.
        public static let addressSpaceFull = Code("addressSpaceFull", 38)

        /// The store is sealed, and its key cannot be had now: the configuration has no `privacy.key`, or it threw, as on a
        /// device that was not unlocked yet. Nothing was changed; open the store again when the key can be had.
        public static let keyUnavailable = Code("keyUnavailable", 39)
        /// The key is not the store's, or the store is not sealed; nothing was changed.
        public static let keyRefused = Code("keyRefused", 40)
        /// A sealed record has its checksum, and its seal does not fit: somebody changed the file. See
        /// ``StoreError/position``. Records before and after it can still be read.
        public static let logForged = Code("logForged", 41)

        /// The value as it is shown to people.
        public var description: String { name }
    }

    /// The kind of failure.
    public let code: Code
    /// The attempted operation and its problem, in words.
    public let message: String
    /// The position in the log that the error is about, if any.
    public let position: Position?
    /// The file or directory that the error is about, if any.
    public let path: String?

    /// Whether the same call may succeed another time, although the caller changed nothing: a disk has room again, a
    /// rebuild ends, a service answers, another process has closed the store.
    public var isTransient: Bool {
        switch code {
        case .diskFull, .inputOutput, .rebuilding, .tooManyReaders, .alreadyOpen, .suspended, .carrierFailed,
            .inboxFull, .erasureUnfinished, .addressSpaceFull, .keyUnavailable:
            true
        default: false
        }
    }

    /// Whether one record alone cannot be read.
    package var isOfRecord: Bool { code == .recordDamaged || code == .logForged }

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

extension StoreError {
    /// Runs `body` and translates the errors of the layers below into ``StoreError``.
    ///
    /// Errors of other types, such as a host's own, pass through.
    package static func translating<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as LMDBError {
            throw StoreError(error)
        } catch let error as FileError {
            throw StoreError(error)
        }
    }

    package init(_ error: LMDBError) {
        let code: Code =
            switch error.code {
            case .alreadyOpen: .alreadyOpen
            case .readersFull: .tooManyReaders
            case .panic: .mustReopen
            case _ where error.isDamage: error.isInCache ? .viewsDamaged : .logDamaged
            case _ where error.code.rawValue > 0: Self.code(ofErrno: error.code.rawValue)
            default: .inputOutput
            }
        let remedy = code == .addressSpaceFull ? "; a smaller mapBytes needs less address space" : ""
        self.init(code, error.description + remedy, path: error.path)
    }

    package init(_ error: FileError) {
        self.init(Self.code(ofErrno: error.errno), error.description, path: error.path)
    }

    private static func code(ofErrno number: Int32) -> Code {
        switch number {
        case ENOENT: .storeMissing
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case EACCES, EPERM, EROFS: .permissionDenied
        case ENOTDIR, ELOOP: .notAStore
        case ENOMEM: .addressSpaceFull
        default: .inputOutput
        }
    }
}
