/// The names that somebody or something had.
struct KnownName {
    var current: Int
    var time: Timestamp?
    var position: Position
    /// The position of the event that first reported each name.
    var earlier: [Int: Position] = [:]
}

/// The packages of a sync.
struct Packages {
    var last: RecordedEvent?
    var index: UInt32?
    var steps = 0
    var jumps = 0
    /// The indices that are missing in the sync, and where that was found.
    var missing: [UInt32: Position] = [:]
    /// The last index of a sync that broke off, with which the next one may go on.
    var brokenOff: UInt32?
    /// With what index syncs begin, as long as it is the same.
    var start: UInt32?
    var starts = 0
    /// The syncs whose last package said that it is the last.
    var endsWithoutMore = 0
}

/// The first use of a server's id.
struct UsedID {
    let event: RecordedEvent
    let sender: UserID
    let time: Timestamp?
    /// The queued message that got the id.
    let acknowledged: LocalMessageID?
}

extension Examination {
    /// Looks for names that went back to an earlier one.
    mutating func examineNames(_ event: Event, _ recorded: RecordedEvent) {
        // Whoever chooses an earlier name at a time of the choice's own may do so, and whoever changes one here.
        var isChoice = event.origin == .local && !(event.payload is ProfilesFetched || event.payload is TeamInfoFetched)
        if let info = event.payload as? MemberInfoChanged { isChoice = isChoice || info.time != nil }
        let reported = event.reportedNames
        for reported in reported {
            let (name, owner) = (reported.name, reported.owner)
            let hash = name.hashValue
            defer { if case .user = owner { named[hash] = owner } }
            var known = names[owner] ?? KnownName(current: hash, time: event.serverTime, position: recorded.position)
            let last = known.position
            defer { names[owner] = known }
            guard hash != known.current else { continue }
            let isNewer = known.time.flatMap { last in event.serverTime.map { last < $0 } } ?? false
            if let first = known.earlier[hash], !isNewer, !isChoice, !name.isEmpty, known.current != "".hashValue {
                hit(.oldName, recorded) {
                    "\(owner.label($0)): the name of \(first) is back, after that of \(last)"
                }
            }
            if owner.user != nil, name.isEmpty {
                hit(.oldName, recorded) { "\(owner.label($0)): no name any more, after that of \(last)" }
            } else if owner.user != nil, let other = named[hash], other != owner, names[other]?.current == hash {
                hit(.foreignName, recorded) { "\(owner.label($0)): the name of \(other.label($0))" }
            }
            known.earlier[known.current] = known.earlier[known.current] ?? known.position
            (known.current, known.time, known.position) = (hash, event.serverTime, recorded.position)
        }
        if !reported.isEmpty, trails[.oldName]?.last.position != recorded.position { pass(.oldName, recorded) }
    }

    /// Looks for packages that a sync lacks.
    mutating func examinePackages(_ event: Event, _ recorded: RecordedEvent) {
        switch event.payload {
        case is OfflineSyncStarted: (packages.brokenOff, packages.index, packages.missing) = (packages.index, nil, [:])
        case is OfflineSyncCompleted:
            if let last = packages.last, (last.event.payload as? OfflinePackageReceived)?.hasMore == true,
                packages.index != nil, packages.endsWithoutMore > 0
            {
                hit(.packages, recorded, lastGood: last) { _ in
                    "the last one, \(last.position), says that more follow"
                }
            } else if packages.last != nil {
                packages.endsWithoutMore += 1
            }
            packages.index = nil
        case let package as OfflinePackageReceived:
            let goesOn = packages.index == nil && packages.brokenOff.map { package.index == $0 &+ 1 } ?? false
            let start = !goesOn && packages.starts > 2 ? packages.start : nil
            let expected = packages.index.map { $0 &+ 1 } ?? start
            if packages.index == nil, !goesOn, packages.start == nil || packages.start == package.index {
                (packages.start, packages.starts) = (package.index, packages.starts + 1)
            }
            if let found = packages.missing.removeValue(forKey: package.index) {
                if !packages.missing.values.contains(found) { remove(.packages, at: found) }
            } else if let expected, package.index > expected {
                packages.jumps += 1
                for index in expected..<(expected + min(package.index - expected, 1000)) {
                    packages.missing[index] = recorded.position
                }
                let between = packages.last.map {
                    "between \($0.position) of \($0.recordedTime) and \(recorded.position) of \(recorded.clockTime)"
                }
                let last = package.index - 1
                let index = last == expected ? "index \(last)" : "indices \(expected) to \(last)"
                hit(.packages, recorded, lastGood: packages.last, topic: packages.last.map { "\($0.position)" }) { _ in
                    "\(index), \(between ?? "before \(recorded.position)")"
                }
            } else {
                packages.steps += 1
            }
            if packages.index ?? 0 <= package.index || packages.index == nil { packages.index = package.index }
            packages.last = recorded
        default: break
        }
    }

    /// Looks for one id of the server that names two messages.
    mutating func examineIDs(_ event: Event, _ recorded: RecordedEvent, _ account: UserID) {
        let (id, use): (ServerMessageID, UsedID)
        switch event.payload {
        case let message as MessageReceived:
            id = message.serverID
            use = UsedID(event: recorded, sender: message.sender, time: message.sentTime, acknowledged: nil)
        case let sent as MessageSent:
            id = sent.serverID
            use = UsedID(event: recorded, sender: account, time: sent.sentTime, acknowledged: sent.message)
        default: return
        }
        defer { lastMessage = recorded }
        let key = id.hashValue
        guard let first = ids[key] else { return ids[key] = use }
        let isSame: Bool
        if first.event.source.conversation != event.conversation {
            // Short ones are numbers within a conversation.
            isSame = first.sender == use.sender && first.time == use.time || id.rawValue.utf8.count < 8
            if !isSame { foreignIDs += 1 }
        } else if let one = first.acknowledged, let other = use.acknowledged {
            isSame = one == other
        } else {
            // An echo of an own message may have another time.
            isSame = first.sender == use.sender && (use.sender == account || first.time == use.time)
        }
        if !isSame {
            hit(.usedID, recorded, lastGood: lastMessage, topic: "server:\(id)") { _ in
                "\(id), first at \(first.event.position)"
            }
        }
    }
}
