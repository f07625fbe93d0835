@_spi(Storage) package import MessageStoreLog

extension Views {
    /// Where the content is that the event at `position` is about: for a message its own record, other records of the
    /// same server id (its echo, another attempt), its repeats, and every modification, replacement, snapshot and
    /// attachment; else the event itself. Costs two scans of the log, and a point read for each message of the
    /// conversation.
    package borrowing func wordPositions(of position: Position) throws -> [Position] {
        guard let record = try snapshot.log.record(at: position),
            record.type.isMessage
        else { return [position] }
        let conversation = record.conversationNumber
        let state = try snapshot.row(Messages.states, LocalMessageID(position.rawValue))
        var serverID = record.serverID.copied
        if let acknowledged = state?.serverID, !acknowledged.isEmpty { serverID = acknowledged }
        var positions: Set<Position> = [position]
        // A modification may come before its message, and an echo before the acknowledgement.
        try snapshot.log.scan(from: Position(1), to: self.position) { other in
            guard other.conversationNumber == conversation else { return .proceed }
            let hasServerID = !serverID.isEmpty && other.serverID.isEqual(to: serverID.span.bytes)
            if other.type == .messageReceived {
                let copy = try snapshot.row(Messages.states, LocalMessageID(other.position.rawValue))
                if hasServerID || copy?.duplicateOf == position.rawValue { positions.insert(other.position) }
            }
            if hasServerID, other.type == .messageSent, let local = other.renamedMessage?.rawValue,
                try snapshot.row(Messages.states, LocalMessageID(local))?.serverID == serverID
            {
                positions.insert(Position(local))
            }
            return .proceed
        }
        let messages = positions
        try snapshot.log.scan(from: Position(1), to: self.position) { other in
            guard other.conversationNumber == conversation, other.type.has(.holdsWords) else { return .proceed }
            try other.forEachReference { reference throws in
                let named: LocalMessageID? =
                    switch reference {
                    case .local(let local): local.rawValue < other.position.rawValue ? local : nil
                    case .server(let id): try snapshot.local(of: id, in: conversation)
                    }
                if let named, messages.contains(Position(named.rawValue)) { positions.insert(other.position) }
            }
            return .proceed
        }
        return positions.sorted()
    }
}
