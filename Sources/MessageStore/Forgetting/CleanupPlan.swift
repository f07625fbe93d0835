@_spi(Storage) internal import MessageStoreLog
internal import MessageStoreProjections

/// The messages and files that a clean-up would remove, before anything is removed; see ``MessageStore/plan(freeing:)``.
///
/// ``MessageStore/carryOut(_:)`` erases the messages; the host removes the files; the next `compact(progress:)` frees
/// the bytes.
///
/// ```swift
/// let plan = try await store.plan(freeing: 500 << 20)
/// guard await confirms("\(plan.messageCount) messages and \(plan.files.count) files") else { return }
/// try await store.carryOut(plan)
/// for file in plan.files {
///     try file.path.map { try FileManager.default.removeItem(atPath: $0) }
///     let gone = AttachmentStateChanged(file.message, state: .uploaded, index: file.index)
///     try await store.record(Event(gone, in: file.conversation))
/// }
/// try await store.compact()
/// ```
public struct CleanupPlan: Sendable, Hashable {
    /// The last event of the store as the plan saw it.
    public let position: Position
    /// The events that erase the messages: a `HistoryCleared` for each conversation, or `MessagesDeleted` for messages of
    /// some content types.
    public let events: [Event]
    /// How many messages go, by conversation.
    public let messages: [ConversationKey: Int]
    /// The bytes that the log's records lose by the events and the next compaction; the events themselves take some.
    public let recordBytes: Int
    /// The bytes that the store's files lose, records included, besides free pages: an estimate, in which the tables of log
    /// and views shrink as the records do.
    public let storeBytes: Int
    /// The files of these messages on this device, largest first. The store deletes none.
    public let files: [LocalFile]

    /// How many messages go.
    public var messageCount: Int { messages.values.reduce(0, +) }
    /// The bytes of the files.
    public var fileBytes: Int { files.reduce(0) { $0 + Int(clamping: $1.byteCount) } }
    /// The bytes of the store and of files of messages.
    public var bytes: Int { storeBytes + fileBytes }
}

extension MessageStore {
    /// Plans a clean-up that frees a number of bytes: of all conversations the oldest messages, by whole days, go, with
    /// their files.
    ///
    /// Unread messages and newer ones of their conversations stay, starred and pinned ones, and those that the server has yet
    /// to accept. Records nothing. Costs up to sixteen times as much as ``plan(olderThan:types:conversations:)``.
    ///
    /// - Parameter bytes: The bytes to free, of the store besides free pages and of files; the plan frees fewer if all that
    ///   may go has fewer.
    /// - Throws: `StoreError`: `invalidArgument` if `bytes` is not positive.
    public func plan(freeing bytes: Int) throws -> CleanupPlan {
        guard bytes > 0 else {
            throw StoreError(.invalidArgument, "a plan to free \(bytes) bytes: at least 1 is needed")
        }
        let day: Int64 = 86_400_000
        // No server's time is outside of these.
        let now = min(max(configuration.now(), .unknown), .latest)
        var (low, high) = (Int64(0), now.milliseconds / day + 1)
        // One share for all plans: a flush meanwhile changes the tables.
        let share = try sizes().tableShare
        var plan = try plan(olderThan: Timestamp(milliseconds: high * day), tableShare: share)
        guard plan.bytes > bytes else { return plan }
        while high - low > 1 {
            let middle = low + (high - low) / 2
            let earlier = try self.plan(olderThan: Timestamp(milliseconds: middle * day), tableShare: share)
            if earlier.bytes < bytes { low = middle } else { (high, plan) = (middle, earlier) }
        }
        return plan
    }

    /// Plans a clean-up of messages by age, content type and conversation, with their files.
    ///
    /// Unread messages and newer ones of their conversations stay, starred and pinned ones, and those that the server has yet
    /// to accept. Records nothing. Costs a step for each message that is shown and up to eight scans of the log.
    ///
    /// - Parameters:
    ///   - time: Messages of this server's time and later ones stay; nil for messages of any age.
    ///   - types: The content types with which the messages that go came, whatever edits made of them; nil for all.
    ///   - conversations: The conversations of the messages that go; nil for all.
    /// - Throws: `StoreError`: `notFound` if the store does not have a conversation.
    public func plan(
        olderThan time: Timestamp? = nil, types: Set<ContentType>? = nil, conversations: [ConversationKey]? = nil
    ) throws -> CleanupPlan {
        try plan(
            olderThan: time ?? configuration.now(), types: types, conversations: conversations,
            tableShare: sizes().tableShare)
    }

    /// Plans a clean-up in which the tables of log and views shrink by a number of bytes for each byte of a record.
    private func plan(
        olderThan time: Timestamp, types: Set<ContentType>? = nil, conversations: [ConversationKey]? = nil,
        tableShare share: Double
    ) throws -> CleanupPlan {
        let log = try opened().log
        return try read { views in
            let named = try conversations?.map { conversation in
                guard let number = try views.snapshot.symbols.existingNumber(of: conversation) else {
                    throw StoreError(.notFound, "the store has no conversation of a given key")
                }
                return try views.snapshot.symbols.conversation(number)
            }
            let removal = try views.removal(
                in: named ?? views.snapshot.symbols.allConversations(), before: time, types: types)
            let counts = removal.cleared.mapValues(\.count).merging(removal.deleted.mapValues(\.count)) { $0 + $1 }
            let (cut, words, keys) = try views.recordBytes(of: removal, after: log.replayStart)
            return CleanupPlan(
                position: views.position, events: Self.events(of: removal), messages: counts, recordBytes: cut + words,
                storeBytes: max(Int(Double(cut) * share) + words - keys, 0), files: try views.files(of: removal))
        }
    }

    /// Plans a clean-up; the `async` form of ``plan(freeing:)``.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func plan(freeing bytes: Int) async throws -> CleanupPlan {
        try await run(on: readQueue) { try self.plan(freeing: bytes) }
    }

    /// Plans a clean-up; the `async` form of ``plan(olderThan:types:conversations:)``.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func plan(
        olderThan time: Timestamp? = nil, types: Set<ContentType>? = nil, conversations: [ConversationKey]? = nil
    ) async throws -> CleanupPlan {
        try await run(on: readQueue) { try self.plan(olderThan: time, types: types, conversations: conversations) }
    }

    /// Records the events of a plan, which erase its messages: no answer has them when this returns. Messages that were
    /// recorded, starred or pinned since the plan was made stay. Costs a step for each message up to the newest one of the plan.
    ///
    /// - Throws: `StoreError`: `erasureUnfinished` if the events are recorded and the erasure failed, which the store
    ///   tries again within a minute and at its next opening.
    public func carryOut(_ plan: CleanupPlan) throws {
        let events = try read { try $0.sparing(plan.events, since: plan.position) }
        guard !events.isEmpty else { return }
        let result = try record(events)
        try result.erasure.requireDone(recordedAt: result.lastPosition, path: path)
    }

    /// Records the events of a plan; the `async` form of ``carryOut(_:)``.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func carryOut(_ plan: CleanupPlan) async throws {
        try await run(on: writeQueue) { try self.carryOut(plan) }
    }

    /// The events of a removal, in the order of the conversations' ids; one event deletes at most 1,000 messages.
    private static func events(of removal: PlannedRemoval) -> [Event] {
        let cleared = removal.cleared.ordered { $0.key.description < $1.key.description }.map { conversation, notKept in
            let kept = notKept.marked.map { MessageReference.local($0) }
            return Event(
                HistoryCleared(upTo: notKept.last, erases: true, isRetention: true, kept: kept), in: conversation)
        }
        let deleted = removal.deleted.ordered { $0.key.description < $1.key.description }.flatMap { conversation, all in
            stride(from: 0, to: all.count, by: 1000).map { start in
                let part = all[start..<min(start + 1000, all.count)].map { MessageReference.local($0) }
                return Event(MessagesDeleted(part, erases: true), in: conversation)
            }
        }
        return cleared + deleted
    }
}

extension StoreSizes {
    /// The bytes of the tables of log and views for each byte of a record.
    fileprivate var tableShare: Double {
        let records = parts.values.reduce(0) { $0 + $1.recordBytes }
        let others = overheads.filter { !$0.name.hasSuffix(": free pages") && $0.name.contains("/") }
        return records == 0 ? 1 : 1 + Double(others.reduce(0) { $0 + $1.bytes }) / Double(records)
    }
}
