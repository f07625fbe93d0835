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

    /// Puts the event together.
    public init(_ ids: [UserID]?) {
        self.ids = ids
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
