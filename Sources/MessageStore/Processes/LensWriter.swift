internal import Dispatch
internal import Logging
internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog
internal import MessageStoreSealing
internal import MessageStoreSharing

/// Writes a store's lens when something changed, at most once in a while.
final class LensWriter: Sendable {
    private struct State: Sendable {
        /// When it was written last, by the scheduler.
        var writtenAt: Duration?
        /// The lens in the file.
        var written: Lens?
    }

    private let configuration: LensConfiguration
    private let keyring: StoreKeyring
    let worker: Worker
    private let state = Locked(State())
    /// Held while the file is written.
    private let writing = Locked(())

    private static let interval = Duration.seconds(1)
    /// Events that are looked through for the newest messages.
    private static let eventsLookedThrough: UInt64 = 8192

    /// - Parameter keyring: Seals the file of a sealed store.
    init(_ configuration: LensConfiguration, _ keyring: StoreKeyring) {
        (self.configuration, self.keyring) = (configuration, keyring)
        worker = Worker(
            "MessageStore.lens", failure: "the lens cannot be written", metadata: ["path": "\(configuration.path)"])
    }

    /// Sees to it that a change is written.
    func wake(_ store: MessageStore) {
        let earliest = state.withLock { $0.writtenAt.map { $0 + Self.interval } }
        let now = store.scheduler.now
        worker.wake(store, at: max(earliest ?? .zero, now), now: now) { [weak self] store in
            try self?.update(store)
            return nil
        }
    }

    /// Writes the file now, if it would be another one.
    private func update(_ store: MessageStore) throws {
        try writing.withLock { _ throws in
            let lens = try store.read { try self.lens(of: store, $0) }
            let now = store.scheduler.now
            let isNew = state.withLock { state in
                state.writtenAt = now
                return state.written != lens
            }
            guard isNew else { return }
            try StoreError.translating {
                let path = configuration.path
                try FileSystem.put(
                    lens.encoded(sealedBy: keyring.keys?.lens), at: path, through: path + ".messagestore-new",
                    isDurable: false)
            }
            state.withLock { $0.written = lens }
        }
    }

    /// Writes the file now, after an erasure; if that fails, removes it.
    func replaceOrRemove(_ store: MessageStore) throws {
        do { try update(store) } catch let error as StoreError where error.isOfClosedStore { throw error } catch {
            try writing.withLock { _ throws in
                state.withLock { $0.written = nil }
                try FileSystem.removeFile(configuration.path)
            }
        }
    }

    /// Writes the file now, if it would be another one; a failure is logged once.
    func write(_ store: MessageStore) {
        do { try update(store) } catch let error as StoreError where error.isOfClosedStore {
            // The next opening writes it.
        } catch {
            worker.log(error, store)
        }
    }

    private func lens(of store: MessageStore, _ views: borrowing Views) throws -> Lens {
        let limit = min(max(configuration.conversations, 1), 1000)
        let listed = try views.conversations(archived: .included, limit: limit).elements
        // Not `map`, whose closure cannot use the views.
        var conversations: [Lens.Conversation] = []
        for listed in listed {
            conversations.append(
                Lens.Conversation(
                    key: listed.key, displayName: listed.displayName, avatarURL: listed.avatarURL,
                    notificationLevel: listed.notificationLevel, mutedUntil: listed.mutedUntil,
                    unreadMessages: listed.unread.messages, unreadMentions: listed.unread.mentions,
                    isMarkedUnread: listed.unread.isMarkedUnread, readUpTo: listed.unread.readUpTo,
                    countsAbove: try views.countsAbove(in: listed.key)))
        }
        return Lens(
            account: store.account, position: views.position, badge: try views.unreadTotals().badge,
            conversations: conversations, values: try configuration.values?(views) ?? [:],
            recent: try views.newestMessages(configuration.messages, within: Self.eventsLookedThrough))
    }

    /// Waits for the writing that is going on.
    func finish() { worker.finish() }

    /// Follows the log again, after ``finish()``.
    func resume() { worker.resume() }
}

extension Views {
    /// The server's ids of the newest received messages.
    fileprivate borrowing func newestMessages(
        _ count: Int, within events: UInt64
    ) throws -> [(message: ServerMessageID, conversation: ConversationKey)] {
        var newest: [(message: ServerMessageID, conversation: ConversationKey)] = []
        guard count > 0 else { return newest }
        let last = position.rawValue
        try snapshot.log.scanBackwards(
            from: position, downTo: Position(last - min(last, events))
        ) { record in
            guard record.type == .messageReceived, record.serverID.byteCount > 0 else { return .proceed }
            let conversation = try snapshot.symbols.conversation(record.conversation)
            newest.append((ServerMessageID(String(decoding: record.serverID.copied, as: UTF8.self)), conversation))
            return newest.count < count ? .proceed : .stop
        }
        return newest
    }
}

/// The small file that a store writes for processes that show notifications; see `Lens`.
public struct LensConfiguration: Sendable {
    /// The file; its directory must exist. Each account needs a file of its own.
    public var path: String
    /// How many conversations it has, from the top of the list: 1 to 1000. Default: 200.
    public var conversations = 200
    /// How many of the messages recorded last it recognises, among the last 8,192 events. Default: 1,000.
    public var messages = 1000
    /// Makes the values that the host adds; runs like the body of a `read`, and its errors are logged. A lens that
    /// becomes too large is not written.
    public var values: (@Sendable (borrowing Views) throws -> [String: String])?

    /// The defaults.
    public init(path: String) { self.path = path }
}
