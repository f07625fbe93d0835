public import MessageStore
internal import MessageStoreLMDB
@_spi(Storage) package import MessageStoreLog
internal import MessageStoreSealing

/// A place for a store in a temporary directory, which is removed with this object.
///
/// The directory is in `TMPDIR`; if that is not set, on Linux in memory (`/dev/shm`) if there is a GiB of room.
///
/// ```swift
/// let place = try TemporaryStore()
/// let store = try place.open { $0.hooks.profileProvider = FakeProfileProvider() }
/// ```
public final class TemporaryStore: Sendable {
    /// The account of stores that are opened without naming one.
    public static let account: UserID = "me"

    /// The directory that is removed; it may also hold files of a host.
    public let directory: String
    /// The clock that provides the recorded time of events, and moves all that a store waits for.
    public let time = ManualTime()

    /// The store's own directory.
    public var path: String { directory + "/store" }

    /// Creates the directory.
    ///
    /// - Throws: `StoreError` if it cannot be created.
    public init() throws {
        directory = FileSystem.testDirectory + "/messagestore-\(UInt64.random(in: .min ... .max))"
        try StoreError.translating { [directory] in try FileSystem.createDirectory(directory) }
    }

    deinit {
        try? FileSystem.remove(directory)
    }

    /// Whether stores can be sealed: the package was built with the trait `Encryption`.
    package static var canSeal: Bool { AuthenticatedCipher.isBuilt }

    /// The key of all stores if `MESSAGESTORE_SEALED` is set in the environment; nil otherwise.
    package static let keyBytes: [UInt8]? =
        getenv("MESSAGESTORE_SEALED") == nil ? nil : [UInt8](repeating: 1, count: 32)
    /// Gives that key.
    package static let key = keyBytes.map { bytes in KeySource { bytes } }

    /// The configuration that stores are opened with: recorded times and delays by ``time``, relaxed durability, and
    /// flushed only when the buffer is full or the store is closed.
    public var configuration: MessageStore.Configuration {
        var configuration = MessageStore.Configuration.ofTests
        configuration.now = { [time] in time.now }
        configuration.clock = time.clock
        configuration.idleFlushDelay = .seconds(1_000_000_000)
        configuration.durability.level = .relaxed
        return configuration
    }

    /// Opens the store, creating it if it does not exist.
    ///
    /// - Parameters:
    ///   - account: The account whose store it is.
    ///   - change: Changes the configuration first.
    /// - Throws: As `MessageStore.open`.
    public func open(
        account: UserID = account, _ change: (inout MessageStore.Configuration) -> Void = { _ in }
    ) throws -> MessageStore {
        var configuration = configuration
        change(&configuration)
        return try MessageStore.open(path, account: account, configuration: configuration)
    }

    /// Opens the store for reading only.
    ///
    /// - Parameter change: Changes the configuration first.
    /// - Throws: As `MessageStore.openReadOnly`.
    public func openReadOnly(_ change: (inout MessageStore.Configuration) -> Void = { _ in }) throws -> MessageStore {
        var configuration = configuration
        change(&configuration)
        return try MessageStore.openReadOnly(path, configuration: configuration)
    }

    /// Opens the store, passes it to `body`, and closes it.
    ///
    /// - Throws: Errors of opening, closing or `body`.
    @discardableResult
    public func withStore<Result>(_ body: (MessageStore) throws -> Result) throws -> Result {
        let store = try open()
        let result = try body(store)
        try store.close()
        return result
    }
}

extension MessageStore.Configuration {
    /// The configuration of hosts that change nothing, with the key of ``TemporaryStore/key``.
    package static var ofTests: Self {
        var configuration = Self()
        configuration.privacy.key = TemporaryStore.key
        return configuration
    }
}

extension EventLog {
    /// Encodes events for one commit, each of them as a new one.
    package func prepare(_ events: [Event], account: UserID, now: Timestamp) throws -> PreparedAppend {
        var writer = beginBatch(account: account, now: now)
        for event in events {
            try writer.append(event)
            writer.keep()
        }
        return PreparedAppend(writer)
    }
}
