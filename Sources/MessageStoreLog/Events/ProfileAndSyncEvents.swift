/// What an app knows of a user (A5).
public struct Profile: Hashable, Sendable {
    /// The id on the wire, by which profiles are kept (A6).
    public var id: UserID
    /// The id in the app's own user system, where it differs.
    public var userID: String?
    /// The name to show.
    public var name: String?
    /// The picture.
    public var avatarURL: String?

    /// Puts a profile together.
    public init(id: UserID, userID: String? = nil, name: String? = nil, avatarURL: String? = nil) {
        self.id = id
        self.userID = userID
        self.name = name
        self.avatarURL = avatarURL
    }
}

/// The host's provider answered with profiles.
public struct ProfilesFetched: Hashable, Sendable {
    /// The profiles.
    public var profiles: [Profile]

    /// Puts the event together.
    public init(_ profiles: [Profile]) {
        self.profiles = profiles
    }
}

/// The host's provider did not answer for these users; they keep what is known, else a placeholder (A4).
public struct ProfileFetchFailed: Hashable, Sendable {
    /// The users.
    public var ids: [UserID]
    /// The provider's error code.
    public var code: Int32

    /// Puts the event together.
    public init(_ ids: [UserID], code: Int32) {
        self.ids = ids
        self.code = code
    }
}

/// Profiles are out of date: the last value is shown, marked stale, until fetched again (A8, d25).
public struct ProfileInvalidated: Hashable, Sendable {
    /// The users; nil means all.
    public var ids: [UserID]?
    /// Whether the last value is forgotten as well: placeholders are shown until fetched again.
    public var purges: Bool

    /// Puts the event together.
    public init(_ ids: [UserID]?, purges: Bool = false) {
        self.ids = ids
        self.purges = purges
    }
}

/// What an app knows of a team, as groups are called where they have pages of their own (C3).
public struct TeamInfo: Hashable, Sendable {
    /// The conversation of the team.
    public var id: ConversationKey
    /// The name to show.
    public var name: String?
    /// The picture.
    public var avatarURL: String?
    /// The service's number of the team's kind, such as normal or advanced (C29).
    public var kind: UInt8?

    /// Puts it together.
    public init(id: ConversationKey, name: String? = nil, avatarURL: String? = nil, kind: UInt8? = nil) {
        self.id = id
        self.name = name
        self.avatarURL = avatarURL
        self.kind = kind
    }
}

/// The host's provider answered with teams.
public struct TeamInfoFetched: Hashable, Sendable {
    /// The teams.
    public var teams: [TeamInfo]

    /// Puts the event together.
    public init(_ teams: [TeamInfo]) {
        self.teams = teams
    }
}

/// Teams are out of date: the last value is shown, marked stale, until fetched again (C7).
public struct TeamInfoInvalidated: Hashable, Sendable {
    /// The teams; nil means all.
    public var ids: [ConversationKey]?

    /// Puts the event together.
    public init(_ ids: [ConversationKey]?) {
        self.ids = ids
    }
}

/// How this account stands with its server (A34, B18, E2).
public enum SessionState: UInt8, Hashable, Sendable, Codable {
    /// No connection, and none wanted.
    case closed = 0
    /// On the way.
    case connecting = 1
    /// Connected: a new session began.
    case connected = 2
    /// The connection broke.
    case disconnected = 3
    /// The system paused the connection.
    case suspended = 4
    /// Another device of the account took over.
    case kicked = 5
}

/// The connection to the server changed.
///
/// After `connected`, as after ``OfflineSyncStarted``, messages are taken to follow those of the session before only where an
/// offline sync completes or delivers them; else a hole may lie between. Messages that arrive live in one session have
/// no hole between them; where neither sessions nor syncs were ever recorded, they prove nothing (d27).
public struct SessionStateChanged: Hashable, Sendable {
    /// The state from now on.
    public var state: SessionState
    /// The transport's code; 0 for none.
    public var code: Int32
    /// The transport's words, if any.
    public var text: String?

    /// Puts the event together.
    public init(_ state: SessionState, code: Int32 = 0, text: String? = nil) {
        self.state = state
        self.code = code
        self.text = text
    }
}

/// A session began to receive what had come while this account was offline.
public struct OfflineSyncStarted: Hashable, Sendable {
    /// The transport's name of the session, if it has one.
    public var session: String?

    /// Puts the event together.
    public init(session: String? = nil) {
        self.session = session
    }
}

/// A package of an offline sync was received; it is recorded together with its events (I6).
public struct OfflinePackageReceived: Hashable, Sendable {
    /// The transport's number of the package.
    public var index: UInt32
    /// The messages in it, those that were not kept included (d10).
    public var messageCount: UInt32
    /// Whether the server has more packages (D6).
    public var hasMore: Bool

    /// Puts the event together.
    public init(index: UInt32, messageCount: UInt32, hasMore: Bool) {
        self.index = index
        self.messageCount = messageCount
        self.hasMore = hasMore
    }
}

/// All that had come while offline is received; happens after every connect, also with nothing to receive (D9).
public struct OfflineSyncCompleted: Hashable, Sendable {
    /// Puts the event together.
    public init() {}
}

/// The transport's place in the server's stream, kept for its next connection.
public struct SyncCursorAdvanced: Hashable, Sendable {
    /// Which stream.
    public var name: String
    /// The place, in the transport's own form.
    public var value: [UInt8]

    /// Puts the event together.
    public init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }
}
