public import Logging

extension MessageStore {
    /// How a store is opened. The defaults suit an app.
    ///
    /// The host's hooks are part of it, so nothing is recorded before they are set. A hook that needs the store can be
    /// given it once it is open.
    public struct Configuration: Sendable {
        /// What an acknowledged append has survived when the call returns.
        public enum Durability: Sendable {
            /// Everything, power loss included: the commit is synchronised to the medium.
            case full
            /// The end of the process; power loss may undo the last appends, newest first, and leaves the rest intact.
            case relaxed
        }

        /// The host's own types of events; see `EventPayload`. Each is described in the log when the store is opened for
        /// writing, so that tools without the host's code can show its events.
        public var events: [any EventPayload.Type] = []
        /// What an append promises. Default: `.full`.
        public var durability = Durability.full
        /// Bytes of memory that changed rows of the views may take before they are written; twice this at the most, and
        /// four times this during a replay or rebuild.
        public var bufferBytes = 40 << 20
        /// Bytes of address space that the log reserves at first; doubled whenever it is full.
        public var mapBytes = 1 << 30
        /// How long events that were recorded as `visible` may wait for others to share their commit.
        public var groupCommit = GroupCommit()
        /// After how long without an append buffered rows are written.
        public var idleFlushDelay = Duration.seconds(2)
        /// The clock by which events are stamped; recorded times never fall, whatever it says.
        public var now: @Sendable () -> Timestamp = { .now }
        /// The clock by which delays and time-outs are measured. Its `sleep` must end when the task is cancelled.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// Where failures of background work, and reads that stay open over many commits, are told; never message text.
        /// Default: nowhere.
        public var logger = Logger(label: "MessageStore", factory: { _ in SwiftLogNoOpLogHandler() })
        /// Judges received messages before they are recorded; nil for no filter.
        ///
        /// With a filter, synchronous calls that record messages of others wait for its answer on their thread, at most
        /// ``filterTimeout``; the `async` ones suspend. Recording received messages from inside the filter throws
        /// `nestedAccess`.
        public var messageFilter: (any MessageFilter)?
        /// Where profiles of users come from; nil where the host records them by itself.
        public var profileProvider: (any ProfileProvider)?
        /// Where what is known of teams comes from; nil where the host records it by itself.
        public var teamProvider: (any TeamProvider)?
        /// Where older messages than the store has come from; nil where it shows only its own.
        public var historyProvider: (any HistoryProvider)?
        /// How long the host's message filter may take for a batch.
        public var filterTimeout = Duration.seconds(15)
        /// Whether messages without a client token are recognised as repeats by what they say. Default: not.
        public var duplicateSuppression = DuplicateSuppression()
        /// How profiles and teams are asked for.
        public var profileFetching = ProfileFetching()
        /// How long a provider of remote history may take.
        public var historyTimeout = Duration.seconds(15)

        /// The host's projections, kept beside those of the library; see ``Projection``.
        ///
        /// One that is new, or has another version or other rules than its rows, is rebuilt when the store is opened.
        public var projections: [any Projection] = []

        /// Called before each commit of the log; may throw.
        package var commitFault: (@Sendable () throws -> Void)?

        /// The defaults.
        public init() {}
    }

    /// When what is visible is committed, whichever comes first. At twice the numbers, calls that record wait.
    public struct GroupCommit: Sendable {
        /// Calls that recorded something.
        public var batches = 64
        /// Bytes of their records.
        public var bytes = 4 << 20
        /// Since the first of them.
        public var delay = Duration.milliseconds(10)

        /// The defaults.
        public init() {}
    }

    /// When a received message counts as the repeat of another: a resend after a lost answer, which a server gave a new id.
    ///
    /// The same sender, type and content within a time. Every verdict is recorded as `MessageDuplicateSuppressed`; the
    /// repeat stays in the log and can be shown again. Messages with a client token need none of this: their token says
    /// whether they are the same.
    public struct DuplicateSuppression: Sendable {
        /// Whether to look in conversations of two, groups and system conversations.
        public var inConversations = false
        /// Whether to look in chat rooms.
        public var inChatRooms = false
        /// How far the server's times may lie apart. A look-up costs no more in a larger store; memory holds what was said
        /// lately.
        public var window = Duration.seconds(60)

        /// The defaults.
        public init() {}

        /// The window in milliseconds where repeats are looked for.
        var windows: RepeatWindows {
            RepeatWindows(
                conversations: inConversations ? milliseconds : nil, chatRooms: inChatRooms ? milliseconds : nil)
        }

        private var milliseconds: Int64 {
            let (seconds, attoseconds) = window.components
            return seconds * 1000 + attoseconds / 1_000_000_000_000_000
        }
    }

    /// How profiles and teams are asked for from a host's provider.
    public struct ProfileFetching: Sendable {
        /// How long requests are collected before the provider is asked.
        public var collectionDelay = Duration.milliseconds(20)
        /// Users or teams asked for at once.
        public var batchSize = 100
        /// How long the provider may take.
        public var timeout = Duration.seconds(15)

        /// The defaults.
        public init() {}
    }
}

extension Timestamp {
    /// The system clock's time.
    public static var now: Timestamp {
        let sinceEpoch = SystemClock.sinceEpoch()
        return Timestamp(milliseconds: sinceEpoch.seconds * 1000 + sinceEpoch.nanoseconds / 1_000_000)
    }
}
