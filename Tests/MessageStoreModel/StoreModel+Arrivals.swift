internal import MessageStore

/// What the way of a message says of those before it (Decision 10), worked out for all stretches of a timeline at once.
extension StoreModel {
    /// On which way messages came to the store, where their events do not say it.
    package enum Carrier: Sendable { case direct, package, inbox }

    /// A message arrived, or got its place from the server; it is not in `messages` there yet.
    mutating func noteArrival(_ order: Order, _ origin: Origin, in key: ConversationKey, isOwn: Bool = false) {
        let (session, position) = (currentSession, UInt64(log.count))
        let carrier = carriers[position] ?? .direct
        let isHandedOver = carrier == .inbox
        let isOffline = !isHandedOver && (origin == .offline || carrier == .package)
        if isOwn, connectedAt == 0 || order.time <= 0 { return }
        let newest = newestKnown(in: key)
        let isNewest = newest.map { $0 < order } ?? true
        let isSynced = isSessionOn && session != 0 && completedAt >= session
        let isConnecting = connectedAt != 0
        let (isOn, isCatchingUp) = (isSessionOn, isCatchingUp)
        if origin == .history, !isOwn {
            let takesLive = session != 0 && isOn && !isCatchingUp
            return change(key) { entry in
                guard session != 0, isNewest, let head = entry.stretches.head,
                    !takesLive || head.session != session && !isSynced
                else { return }
                entry.stretches.breakHead(
                    at: newest, next: nil, session: session, wait: .init(joinsAfter: isOn ? session : position))
            }
        }
        change(key) { entry in
            guard session != 0 || isOffline else {
                if !isOwn, entry.stretches.head != nil {
                    entry.stretches.breakHead(at: newest, next: nil, session: session)
                }
                return
            }
            if isOffline {
                entry.stretches.deliver(order, isNewest: isNewest, session: session, isConnecting: isConnecting)
            } else if isHandedOver || !isOn {
                guard isNewest else { return }
                let goesOn = isOn && (entry.stretches.head?.session == session || isSynced)
                entry.stretches.setAside(order, at: newest, .init(joinsAfter: position, session: goesOn ? session : 0))
            } else {
                entry.stretches.receive(
                    order, at: newest, isNewest: isNewest, session: session, isSynced: isSynced,
                    isCatchingUp: isCatchingUp)
            }
        }
    }

    /// A sync completed: what waited for it has no gap after it.
    mutating func joinWaiting() {
        let session = currentSession
        for key in Array(conversations.keys) { change(key) { $0.stretches.join(upTo: session) } }
    }
}

extension StoreModel.Stretches {
    typealias Order = StoreModel.Order

    /// A sync delivers a message.
    mutating func deliver(_ order: Order, isNewest: Bool, session: UInt64, isConnecting: Bool) {
        let isBelowGap = closed.contains { $0.high >= order }
        if let head, head.low < order {
            if head.session != session { self.head?.isLive = false }
            self.head?.session = session
        } else if head != nil {
            if isConnecting || isBelowGap {
                addAlone(order, session: session)
            } else if !lengthen(to: order) {
                add(Stretch(low: order, high: .highest), session: session)
            }
        } else if isNewest, closed.last?.wait != nil {
            open(session: session)
        } else if closed.last?.wait != nil || isBelowGap || isConnecting && !isNewest {
            addAlone(order, session: session)
        } else {
            head = Head(low: order, session: session)
        }
    }

    /// Until the sync completes, others may be missing between the message and those above it.
    private mutating func addAlone(_ order: Order, session: UInt64) {
        guard !lengthen(to: order), !all.contains(where: { $0.contains(order) }) else { return }
        closed.append(Stretch(low: order, high: order, wait: Wait(joinsAfter: session)))
        closed.sort { $0.low < $1.low }
    }

    /// Lengthens the stretch that waits for the sync; false where there is none.
    private mutating func lengthen(to order: Order) -> Bool {
        let holder = closed.first { $0.contains(order) }
        if holder?.wait != nil { return true }
        guard let below = closed.lastIndex(where: { $0.high < order }), closed[below].wait != nil else { return false }
        if holder == nil { closed[below].high = order }
        return true
    }

    /// A message came that may have overtaken others.
    mutating func setAside(_ order: Order, at newest: Order?, _ wait: Wait) {
        if head != nil {
            breakHead(at: newest, next: nil, session: 0, wait: wait)
        } else if let top = closed.indices.last, let known = closed[top].wait {
            closed[top].wait = Wait(joinsAfter: wait.joinsAfter, session: known.session)
        } else {
            closed.append(Stretch(low: order, high: order, wait: Wait(joinsAfter: wait.joinsAfter)))
            closed.sort { $0.low < $1.low }
        }
    }

    /// A message came live, in a session.
    mutating func receive(
        _ order: Order, at newest: Order?, isNewest: Bool, session: UInt64, isSynced: Bool, isCatchingUp: Bool
    ) {
        let top = closed.indices.last
        let wait = top.flatMap { closed[$0].wait }
        guard var known = head else {
            guard let top, let wait else {
                guard top.map({ closed[$0].high < order }) ?? true else { return }
                return head = Head(low: order, isLive: isCatchingUp, session: session)
            }
            guard isNewest else { return }
            if !isCatchingUp, wait.session == session { return open(session: session) }
            closed[top].wait = Wait(joinsAfter: max(wait.joinsAfter, session))
            return head = Head(low: order, isLive: isCatchingUp, session: session)
        }
        let isLive = isCatchingUp && known.session == session && known.isLive
        if isLive || !isCatchingUp && (known.session == session || isSynced) {
            known.session = session
            if closed.allSatisfy({ $0.high < order }) { known.low = min(known.low, order) }
            head = known
        } else if isNewest {
            breakHead(at: newest, next: order, session: session, wait: Wait(joinsAfter: session))
            head?.isLive = isCatchingUp
        }
    }

    /// Makes the last stretch the head.
    private mutating func open(session: UInt64) {
        let top = closed.removeLast()
        head = Head(low: top.low, reachesBeginning: top.reachesBeginning, session: session)
    }

    mutating func join(upTo session: UInt64) {
        while let index = closed.firstIndex(where: { $0.wait.map { $0.joinsAfter <= session } ?? false }) {
            let joined = closed.remove(at: index)
            if index < closed.count {
                closed[index].low = min(closed[index].low, joined.low)
                closed[index].reachesBeginning = closed[index].reachesBeginning || joined.reachesBeginning
            } else {
                head = Head(
                    low: min(head?.low ?? joined.low, joined.low),
                    reachesBeginning: joined.reachesBeginning || head?.reachesBeginning == true,
                    session: head?.session ?? session)
            }
        }
    }
}
