package import MessageStoreLog

extension Views {
    /// Where the words stand that the event at `position` is about: for a message its own record, other records of the
    /// same server id (its echo, another attempt) and every modification; else the event itself. Costs a scan of the log.
    package borrowing func wordPositions(of position: Position) throws -> [Position] {
        guard let record = try log.record(at: position),
            record.type == .messageReceived || record.type == .messageSendQueued
        else { return [position] }
        let conversation = record.conversation
        let state = try state(of: LocalMessageID(position.rawValue))
        var serverID = record.serverID.copied
        if let acknowledged = state?.serverID, !acknowledged.isEmpty { serverID = acknowledged }
        var positions: Set<Position> = [position]
        // A modification may come before its message, and an echo before the acknowledgement.
        try log.scan(from: Position(1), to: self.position) { other in
            guard other.conversation == conversation, !serverID.isEmpty,
                other.serverID.isEqual(to: serverID.span.bytes)
            else { return .proceed }
            if other.type == .messageReceived { positions.insert(other.position) }
            if other.type == .messageSent, let local = other.number(3),
                try self.state(of: LocalMessageID(local))?.serverID == serverID
            {
                positions.insert(Position(local))
            }
            return .proceed
        }
        let messages = positions
        try log.scan(from: Position(1), to: self.position) { other in
            guard other.conversation == conversation, other.type == .messageModified else { return .proceed }
            other.forEachReference { reference in
                switch reference {
                case .local(let local):
                    let named = Position(local.rawValue)
                    if named < other.position, messages.contains(named) { positions.insert(other.position) }
                case .server(let id):
                    if !serverID.isEmpty, id.isEqual(to: serverID.span.bytes) { positions.insert(other.position) }
                }
            }
            return .proceed
        }
        return positions.sorted()
    }
}
