internal import MessageStoreProjections

extension MessageStore {
    /// Receives everything that arrived while this account was offline, as one sync.
    ///
    /// Records that the session is connected and that a sync began, then each package, as
    /// ``ingest(_:isolation:acknowledge:)`` does, and at last that the sync is complete, which proves that no message is
    /// missing. Connect first and run one sync at a time. Messages that arrive live meanwhile are recorded as usual.
    ///
    /// ```swift
    /// let progress = try await store.sync("inbox") { cursor in server.packages(after: cursor) }
    /// ```
    ///
    /// A sync that fails or is cancelled stays incomplete: conversations may have gaps, and the next sync continues
    /// after the last package that was recorded.
    ///
    /// - Parameters:
    ///   - cursor: The name of the cursor that the packages carry in ``OfflinePackage/cursor``.
    ///   - session: The transport's name of the session, if any.
    ///   - isolation: The actor that asks the sequence for packages.
    ///   - packages: Makes the packages after the server's place that was recorded last; nil at the first sync. It may
    ///     record, for example, events that a new device has to know before.
    ///   - acknowledge: Called for each package in turn, once it is durable as configured.
    /// - Returns: The numbers of packages and messages of this sync.
    /// - Throws: As ``ingest(_:isolation:acknowledge:)``; `invalidArgument` if a package's cursor has another name; what
    ///   `packages` throws.
    @discardableResult
    public func sync<Packages: AsyncSequence>(
        _ cursor: String, session: String? = nil, isolation: isolated (any Actor)? = #isolation,
        packages: (_ cursor: [UInt8]?) async throws -> Packages,
        acknowledge: @escaping @Sendable (_ package: OfflinePackage, _ result: RecordResult) async throws -> Void = {
            _, _ in
        }
    ) async throws -> SyncProgress where Packages.Element == OfflinePackage {
        try await record([.sessionStateChanged(.connected), Event(OfflineSyncStarted(session: session))])
        let sequence = try await packages(try await read { try $0.syncCursor(cursor) })
        let checked = sequence.map { package in
            guard package.cursor.map({ $0.name == cursor }) ?? true else {
                throw StoreError(
                    .invalidArgument, "package \(package.index) moves another cursor than the one of the sync")
            }
            return package
        }
        try await ingest(checked, isolation: isolation, acknowledge: acknowledge)
        try await record(Event(OfflineSyncCompleted(), origin: .offline))
        return try await read { try $0.syncProgress() }
    }
}

/// A server's answer to a message that was sent to it.
public enum SendAnswer: Sendable, Hashable {
    /// The server accepted the message under an id, at a time of its clock; nil if it does not report one.
    case accepted(as: ServerMessageID, at: Timestamp?)
    /// The server refused the message. It is shown as failed until the host records an `Event.sendRetried(_:in:)`.
    case refused(code: Int32)
}

/// The times at which a message is sent again that got no answer.
public struct BackOff: Sendable, Hashable {
    /// The delay before the second attempt. Each later one is twice as long as the one before.
    public var delay: Duration
    /// The longest delay.
    public var longestDelay: Duration
    /// The number of attempts in all, at least 1.
    public var attempts: Int
    /// The range of random factors of a delay, so that devices which lost one server do not return at one moment.
    public var jitter: ClosedRange<Double>

    /// Creates a plan: by default, six attempts within about half a minute.
    public init(
        delay: Duration = .seconds(1), longestDelay: Duration = .seconds(60), attempts: Int = 6,
        jitter: ClosedRange<Double> = 0.8...1.2
    ) {
        self.delay = delay
        self.longestDelay = longestDelay
        self.attempts = attempts
        self.jitter = jitter
    }

    /// The delay after a number of attempts.
    func delay(after attempts: Int) -> Duration {
        let longest = longestDelay.bounded
        var delay = min(delay.bounded, longest)
        // A hundred doublings make 40,000 years of an attosecond.
        for _ in 1..<min(max(attempts, 1), 100) where delay < longest { delay = min(delay + delay, longest) }
        return delay * Double.random(in: jitter.clamped(to: 0...1_000_000))
    }
}

extension MessageStore {
    /// Sends the messages that are due, one after the other, as `Views.dueMessages(at:)` orders them: by priority,
    /// then oldest first.
    ///
    /// A message waits while its status is `sending`: it was queued, or retried after a failure. The answer is recorded
    /// before the next message is sent. If `send` throws, there was no answer: the same message is sent again, after
    /// longer and longer delays of the configuration's clock. After the last attempt the call throws that error, and the
    /// message still waits. The server recognises a message that is sent again, also after a crash, by
    /// `Message.clientToken`, so queue each message with one. Messages that are queued or become due meanwhile are sent as
    /// well; the call does not wait for a message's time: `DueMessages.nextTime` says when to call again. Run one call at
    /// a time.
    ///
    /// ```swift
    /// try await store.sendOutbox { message in
    ///     let answer = try await server.send(message.text ?? "", token: message.clientToken, to: message.conversation)
    ///     return .accepted(as: answer.id, at: answer.time)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - backOff: When a message is sent again that got no answer.
    ///   - isolation: The actor that calls `send`.
    ///   - send: Sends one message and returns the server's answer.
    /// - Returns: The number of messages that the server accepted.
    /// - Throws: The last error of `send`; `CancellationError`; as `record(_:acknowledgement:)`.
    @discardableResult
    public func sendOutbox(
        backOff: BackOff = BackOff(), isolation: isolated (any Actor)? = #isolation,
        by send: (_ message: Message) async throws -> SendAnswer
    ) async throws -> Int {
        var accepted = 0
        // The order holds until something else is recorded, or an answer may end what another message waits for.
        var (due, waiting, known) = ([Message](), DueMessages(), Position?.none)
        while true {
            let now = configuration.now()
            let isOver = waiting.nextTime.map { $0 <= now } ?? false
            let last = due.isEmpty || isOver ? nil : known
            let (position, current) = try await read { views in
                (views.position, views.position == last ? nil : try views.dueMessages(at: now))
            }
            if let current { (due, waiting) = (current.due.reversed(), current) }
            guard let message = due.popLast() else { return accepted }
            let result: RecordResult
            switch try await answer(to: message, backOff, isolation, send) {
            case .accepted(let serverID, let time):
                result = try await record(.sent(message.id, as: serverID, in: message.conversation, at: time))
                accepted += 1
            case .refused(let code):
                result = try await record(.sendFailed(message.id, in: message.conversation, code: code))
            }
            // Nothing was recorded between the two, and no message follows the answered one.
            let isSame = result.lastPosition.rawValue == position.rawValue + 1 && !waiting.holds(message.id)
            known = isSame ? result.lastPosition : nil
        }
    }

    private func answer(
        to message: Message, _ backOff: BackOff, _ isolation: isolated (any Actor)?,
        _ send: (Message) async throws -> SendAnswer
    ) async throws -> SendAnswer {
        var attempts = 0
        while true {
            try Task.checkCancellation()
            do {
                return try await send(message)
            } catch {
                attempts += 1
                if attempts >= backOff.attempts || error is CancellationError { throw error }
                try await scheduler.sleep(for: backOff.delay(after: attempts))
            }
        }
    }
}
