public import Logging
internal import MessageStoreLMDB

extension MessageStore {
    /// The configuration with which a store is opened. The defaults suit an app.
    ///
    /// ```swift
    /// var configuration = MessageStore.Configuration()
    /// configuration.durability.level = .relaxed
    /// configuration.sync.duplicateSuppression.inConversations = true
    /// let store = try await MessageStore.open("/path/to/account", account: "alice", configuration: configuration)
    /// ```
    ///
    /// The host's hooks are part of it, so nothing is recorded before they are set. A hook that needs the store can be
    /// given it once it is open.
    public struct Configuration: Sendable {
        /// When all pages of a store's files are looked at before the store is used.
        ///
        /// The database trusts its files: a damaged page could end the process or hide messages. Looking at the pages
        /// finds damage of the structure as `logDamaged`, and drops and rebuilds damaged views; it takes as long as
        /// reading the files once. The beginnings of the files are checked in any case. A damaged log is reported and
        /// left alone; why views were dropped is a warning of the configuration's logger.
        public enum PageCheck: Sendable {
            /// At each opening. The rows of the views are counted again as well, so that views with any damage are
            /// dropped and rebuilt.
            case always
            /// If the store was not closed and the system was restarted since, or if a file is not as it was left.
            ///
            /// A store that was closed is trusted while its files have the length and the times that they had then.
            /// After the mere end of a process the system still has all that was written, so that its store is trusted,
            /// too. Damage that leaves length and times alone is not noticed on opening.
            case afterUncleanClose
        }

        /// The failures that recorded events survive, and when they are written.
        public struct Durability: Sendable {
            /// The failures that a durable append survives once the call returns.
            public enum Level: Sendable {
                /// Everything, including power loss: recorded events are forced to the medium, on Apple's systems by
                /// `F_FULLFSYNC`.
                case full
                /// The end of the process; power loss may undo the last appends, newest first, and leaves the rest intact.
                case relaxed
            }

            /// The failures that appends survive. Default: `.full`.
            public var level = Level.full
            /// How long events that were recorded as `visible` may wait for others to become durable with them.
            public var groupCommit = GroupCommit()
            /// When all pages of the store's files are looked at. Default: `.afterUncleanClose`.
            public var pageCheck = PageCheck.afterUncleanClose
            /// Whether a log that lacks events which the store's views were made from, or which were durable before others
            /// that its journal still holds, is opened all the same. Default: no; opening throws `logRolledBack` or
            /// `logDamaged`.
            ///
            /// The last events of such a log were lost, by damage or because an older copy was put in its place. Set it
            /// once to continue without them: the views are rebuilt from the log as it is.
            public var allowsRollback = false

            /// The defaults.
            public init() {}
        }

        /// The host's filter and providers, and how long they may take.
        public struct Hooks: Sendable {
            /// Judges received messages before they are recorded; nil for no filter.
            ///
            /// With a filter, synchronous calls that record messages of others wait for its answer on their thread, at most
            /// ``filterTimeout``; the `async` ones suspend. Recording received messages from inside the filter throws
            /// `nestedAccess`.
            public var messageFilter: (any MessageFilter)?
            /// How long the host's message filter may take for a batch.
            public var filterTimeout = Duration.seconds(15)
            /// Provides profiles of users; nil if the host records them itself.
            public var profileProvider: (any ProfileProvider)?
            /// Provides teams; nil if the host records them itself.
            public var teamProvider: (any TeamProvider)?
            /// How long requests for profiles and teams are collected before a provider is called.
            public var profileDelay = Duration.milliseconds(20)
            /// The maximum number of users or teams in one request.
            public var profileBatch = 100
            /// The time within which a provider of profiles or teams must answer.
            public var profileTimeout = Duration.seconds(15)
            /// Provides messages that are older than those in the store; nil to show only those in the store.
            public var historyProvider: (any HistoryProvider)?
            /// How long a provider of remote history may take.
            public var historyTimeout = Duration.seconds(15)

            /// The defaults.
            public init() {}
        }

        /// The treatment of content that is hidden, and of old messages.
        public struct Privacy: Sendable {
            /// The treatment of content that a recall, a deletion or a clearing hides. Default: `.hide`.
            public var removedContent = RemovedContentPolicy.hide
            /// How much of the conversations' histories is kept; nil: all of it.
            ///
            /// Looked at like ``Configuration/automaticCompaction``, at most once a day, and not while the clock has jumped ahead. A
            /// policy that contradicts itself is logged.
            public var retention: RetentionPolicy?
            /// Gives the key under which the store's files are sealed; nil for a store that is not sealed. Default: nil.
            ///
            /// It is called when the store is made, opened, resumed or copied, and may throw, as on a device that was not
            /// unlocked since it started: the call then throws `keyUnavailable`, and nothing was changed. Needs the trait
            /// `Encryption`.
            ///
            /// ```swift
            /// configuration.privacy.key = KeySource { try keychain.key(of: "messages") }
            /// ```
            public var key: KeySource?

            /// The defaults.
            public init() {}
        }

        /// The habits of the transport and of the server.
        public struct Sync: Sendable {
            /// The rule by which the transport numbers the packages of an offline sync. Default: nothing.
            public var packageNumbers = PackageNumbering.any
            /// Whether messages without a client token are recognised as repeats by their content. Default: no.
            public var duplicateSuppression = DuplicateSuppression()
            /// Whether a message that this account sent from another device reads its conversation up to itself, as
            /// services do that send no read markers between devices. Default: no. A `ConversationRead` is recorded after
            /// each such message that is new, unless its origin is `history`.
            public var ownMessagesMarkRead = false
            /// Whether all messages with the origin `history` count as unread in a conversation whose read place is not
            /// known. Default: no, so that paging back never raises the badge: only those count that are newer than all
            /// that the store had of the conversation, or than an unread message of it, and the others once a read marker
            /// below them, or a server's count with a place or a time, is recorded. While a count applies that a server
            /// reported without place and time, history messages are part of it in either case. Applies to messages that
            /// are recorded from then on.
            public var countsHistoryAsUnread = false
            /// Whether events may have server times from 978,307,200 up to, not including, 10¹¹ ms, the days of 1970 to
            /// 1973 that times in seconds look like. Default: no, they throw `invalidTime`; if they may, a warning is
            /// logged.
            public var allowsTimesInSeconds = false

            /// The defaults.
            public init() {}
        }

        /// Other processes that take part, such as extensions of an app.
        public struct Processes: Sendable {
            /// The directory through which other processes hand over events; see `Inbox`, which has the same path. nil: none.
            ///
            /// Each account needs one of its own: a store rejects files that are for another account.
            /// Waiting files are recorded from the moment that the store is open for writing, on a thread of its own; see
            /// ``MessageStore/drainInbox()-98o49``.
            public var inboxPath: String?
            /// The small file that the store writes for processes that show notifications; see `Lens`. nil: none.
            public var lens: LensConfiguration?
            /// How often a store looks for files in its inbox, and one that is open for reading only for new events,
            /// if the system does not report them. Default: a second.
            public var pollingInterval = Duration.seconds(1)
            /// Whether the store is a copy that follows another one's log: nothing is recorded, no message disappears by itself.
            package var follows = false

            /// The defaults.
            public init() {}
        }

        /// The host's own types of events; see `EventPayload`. Each is described in the log when the store is opened
        /// for writing, so that tools without the host's code can show its events.
        public var events: [any EventPayload.Type] = []
        /// The failures that recorded events survive, and when they are written.
        public var durability = Durability()
        /// The host's filter and providers, and how long they may take.
        public var hooks = Hooks()
        /// The treatment of content that is hidden, and of old messages.
        public var privacy = Privacy()
        /// The habits of the transport and of the server.
        public var sync = Sync()
        /// Other processes that take part, such as extensions of an app.
        public var processes = Processes()
        /// Bytes of memory for changed rows of the views before they are written. The buffer takes at most twice this.
        public var bufferBytes = 10 << 20
        /// About how many bytes of memory a replay, a verification or a rebuild takes, in addition to the buffer of the
        /// views: rows that take half of it are written to temporary files, which takes as much again. Default: a quarter
        /// of the memory that the process can have, at most 512 MB; 64 MB on iOS, tvOS and visionOS.
        public var replayBytes = ViewConfiguration.defaultReplayBytes
        /// Bytes of address space that the log reserves at first; doubled whenever it is full. Default: 1 GB; 128 MB on
        /// iOS, tvOS and visionOS.
        public var mapBytes = Environment.Configuration.standardMapSize
        /// The time without an append after which buffered rows are written, if there are more than 64 KB of them.
        public var idleFlushDelay = Duration.seconds(2)
        /// When the store compacts itself; nil: only when `compact` is called.
        public var automaticCompaction: AutomaticCompaction? = AutomaticCompaction()
        /// The clock that provides the recorded time of events; recorded times never decrease, and an event keeps the
        /// clock's time if that is less.
        public var now: @Sendable () -> Timestamp = { .now }
        /// The clock that measures delays and time-outs. Its `sleep` must end when the task is cancelled.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// Logs failures of background work and reads that stay open over many commits; message text is never logged.
        /// Default: no output.
        public var logger = Logger(label: "MessageStore", factory: { _ in SwiftLogNoOpLogHandler() })
        /// Called with each measurement of the store's work; nil for none. Default: nil, which costs nothing.
        ///
        /// It is called on the threads that do the work, some of them while the writer's lock is held: it returns at
        /// once and does not use the store.
        public var metrics: (@Sendable (StoreMeasurement) -> Void)?

        /// The host's projections, kept next to the library's; see `Projection`.
        ///
        /// A projection that is new, or whose version or rules have changed, is rebuilt when the store is opened.
        public var projections: [any Projection] = []
        /// Projections that follow the log at their own pace, in files of their own; see `LaggingProjection`.
        public var laggingProjections: [any LaggingProjection] = []

        /// Called before each write of the log's journal and each commit of the log; may throw.
        package var commitFault: (@Sendable () throws -> Void)?
        /// Called before each commit of views that existed when the store was opened; may throw.
        package var viewCommitFault: (@Sendable () throws -> Void)?
        /// Pages of identities that one commit of the views changes, about; nil for the default.
        package var viewFlushPages: Int?

        /// The interval in which files are looked at; less would only cost.
        var pollingDelay: Duration { max(processes.pollingInterval, .milliseconds(10)) }

        /// The defaults.
        public init() {}
    }

    /// The treatment of content that a recall, a deletion or a clearing without `erases` hides.
    ///
    /// It applies to recalls, deletions and clearings that are recorded while it is set; they keep a mark of that, also in
    /// backups and exports, and how long a marked one waits is for the store to say that has it.
    public enum RemovedContentPolicy: Sendable, Hashable {
        /// No message and preview shows it; `events()`, `messagestore log` and an export do.
        case hide
        /// It is hidden, and erased some time after that, within a minute, by ``Configuration/now``.
        ///
        /// The next opening erases content that is due while the store is closed. Each erasure costs a look at the
        /// messages of its conversations that have words, the first after an opening or a compaction a scan of the log. A
        /// clock that jumped ahead erases nothing as long as ``clockJump`` is not nil.
        case erase(after: Duration)

        /// It is erased before the call returns that records the recall, deletion or clearing.
        public static let erase = RemovedContentPolicy.erase(after: .zero)

        /// How long content is only hidden; nil for good.
        var delay: Duration? {
            guard case .erase(let delay) = self else { return nil }
            return delay
        }
    }

    /// How a transport numbers the packages of an offline sync, and the meaning of a number that is left out.
    ///
    /// A package that comes again, or late, leaves no number out, nor does one with a lower number than that before it.
    public enum PackageNumbering: Sendable {
        /// Numbers may be left out: `SyncProgress.jumps` counts how often.
        case any
        /// No number is left out, so a package that does not arrive before the sync ends is missing: a
        /// `HistoryGapFound` is recorded for each conversation with messages in later packages.
        ///
        /// The sync ends with an `OfflineSyncCompleted`, or early, with the next `OfflineSyncStarted` or a
        /// `SessionStateChanged` to any state but `connecting`. The gaps are recorded right before that event.
        case withoutHoles
        /// The same, and a package whose number leaves out another is not recorded: `packageMissing` is thrown.
        case strict
    }

    /// Thresholds at which events that were recorded as `visible` are made durable together. Callers block while twice
    /// a threshold is pending.
    public struct GroupCommit: Sendable {
        /// The number of recording calls.
        public var batches = 64
        /// The size of their records in bytes.
        public var bytes = 4 << 20
        /// The time since the first of them.
        public var delay = Duration.milliseconds(10)

        /// The defaults.
        public init() {}
    }

    /// When a received message counts as the repeat of another: a resend after a lost answer, which a server gave a new
    /// id.
    ///
    /// A message repeats another with the same sender, type and content within ``window``. Every verdict is recorded as
    /// `MessageDuplicateSuppressed`; the repeat stays in the log and can be shown again. Messages with a client token
    /// are compared by their token instead.
    ///
    /// A message that was deleted still hides its repeats. Therefore the store keeps a row of each deleted message that
    /// somebody else sent, also while this is off: rows are made from the log alone, which does not record how a store
    /// is configured, and this may be on later. A row takes about 30 bytes and the server's id: 43 in all if ids have
    /// 14 bytes and messages are deleted in their order.
    public struct DuplicateSuppression: Sendable {
        /// Whether to look for repeats in conversations of two, groups and system conversations.
        public var inConversations = false
        /// Whether to look for repeats in chat rooms.
        public var inChatRooms = false
        /// The longest time between the server times of a message and its repeat. The cost does not depend on the size
        /// of the store; messages of this period are held in memory.
        public var window = Duration.seconds(60)

        /// The defaults.
        public init() {}

        /// The window in milliseconds where repeats are looked for.
        var windows: RepeatWindows {
            RepeatWindows(
                conversations: inConversations ? milliseconds : nil, chatRooms: inChatRooms ? milliseconds : nil)
        }

        private var milliseconds: Int64 {
            let (seconds, attoseconds) = window.bounded.components
            return seconds * 1000 + attoseconds / 1_000_000_000_000_000
        }
    }
}
