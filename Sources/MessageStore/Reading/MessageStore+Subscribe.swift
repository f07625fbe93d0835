internal import MessageStoreLMDB

extension MessageStore {
    /// Delivers events to a subscriber from now on, beginning after its checkpoint.
    ///
    /// A subscriber that is slow or fails does not hold up appends or other subscribers. The checkpoint is written when
    /// the subscriber has caught up, every 256 events, and on cancelling and closing.
    ///
    /// - Parameters:
    ///   - subscriber: Held until the subscription ends.
    ///   - start: The start of a subscriber whose name has no checkpoint yet.
    ///   - options: How failures are handled.
    /// - Throws: `StoreError`: `invalidArgument` for a name out of bounds or one whose subscription is live, `readOnly`
    ///   and others.
    @discardableResult
    public func subscribe(
        _ subscriber: some EventSubscriber, from start: SubscriptionStart = .end,
        options: SubscriptionOptions = SubscriptionOptions()
    ) throws -> Subscription {
        let resources = try openedForWriting()
        let name = subscriber.name
        guard (1...EventLimits.identifierBytes).contains(name.utf8.count) else {
            throw StoreError(.invalidArgument, "a subscriber's name has 1 to \(EventLimits.identifierBytes) bytes")
        }
        return try StoreError.translating {
            // The name is taken, its checkpoint read and the end of the log frozen at one moment.
            let subscription = try writer.withLock { _ throws in
                try closing.check()
                let known = try resources.log.subscriptionPosition(of: name)
                let position = known ?? (start == .end ? resources.log.lastPosition : .origin)
                let subscription = Subscription(subscriber, named: name, options, after: position, of: self)
                guard subscriptions.add(subscription) else {
                    throw StoreError(.invalidArgument, "the subscription of this name is live")
                }
                if known == nil {
                    do {
                        try resources.log.setSubscriptionPosition(position, of: name)
                    } catch {
                        subscriptions.remove(subscription)
                        throw error
                    }
                }
                return subscription
            }
            subscription.start()
            return subscription
        }
    }

    /// Every subscriber that has a checkpoint, live or not, with its checkpoint, in the byte order of the names.
    ///
    /// - Throws: `StoreError`.
    public func subscriptionPositions() throws -> [(name: String, position: Position)] {
        let resources = try opened()
        return try StoreError.translating { try resources.log.subscriptionPositions() }
    }

    /// Removes a subscriber's checkpoint; a name without one is ignored.
    ///
    /// - Throws: `StoreError`: `invalidArgument` while its subscription is live, `readOnly` and others.
    public func removeSubscriber(named name: String) throws {
        let resources = try openedForWriting()
        try StoreError.translating {
            try writer.withLock { _ throws in
                guard !subscriptions.contains(name) else {
                    throw StoreError(.invalidArgument, "the subscription of this name is live")
                }
                try resources.log.setSubscriptionPosition(nil, of: name)
            }
        }
    }
}

/// The live subscriptions, by name.
final class LiveSubscriptions: Sendable {
    private let live = Locked<[String: Subscription]>([:])

    /// Adds a subscription; false if the name is taken.
    func add(_ subscription: Subscription) -> Bool {
        live.withLock { live in
            guard live[subscription.name] == nil else { return false }
            live[subscription.name] = subscription
            return true
        }
    }

    /// Frees the name, unless another subscription has it by now.
    func remove(_ subscription: Subscription) {
        live.withLock { live in
            if live[subscription.name] === subscription { live[subscription.name] = nil }
        }
    }

    func contains(_ name: String) -> Bool { live.withLock { $0[name] != nil } }

    var all: [Subscription] { live.withLock { Array($0.values) } }

    func removeAll() -> [Subscription] {
        live.withLock { live in
            defer { live = [:] }
            return Array(live.values)
        }
    }
}
