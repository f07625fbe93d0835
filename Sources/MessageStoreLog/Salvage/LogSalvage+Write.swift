internal import MessageStoreLMDB

/// The result of salvaging a damaged log.
package struct SalvagedLog: Sendable {
    /// Events that were kept, byte for byte.
    package var kept = 0
    /// The positions whose events were lost; each holds a `RecordLost`.
    package var lost: [ClosedRange<Position>] = []
    /// Events among those kept that the log's own trees no longer lead to.
    package var repaired = 0
    /// Strings that could not be found, and the names that replace them.
    package var replacedNames: [(space: SymbolSpace, number: UInt32, name: String)] = []
}

extension LogSalvage {
    /// The account that the log belongs to, where the log can still prove it.
    package var account: UserID? {
        names.proven(.user, 1).map { UserID(String(decoding: $0, as: UTF8.self)) }
    }

    /// Bytes of records that share a commit.
    private static let bytesPerCommit = 4 << 20

    /// Writes what was found to a new, empty log.
    ///
    /// Records are the same bytes at the same positions, and symbols keep their numbers.
    package func write(to log: EventLog, account: UserID, storeID: [UInt8]?) throws -> SalvagedLog {
        var summary = SalvagedLog()
        var highest: [SymbolSpace: UInt32] = [.user: 1]
        var chatRooms: Set<UInt32> = []
        var gaps = LostRecords(account: account, symbols: log.symbols)
        var (index, end, lostPositions) = (0, UInt64(0), PositionSet())
        while index < records.count {
            var batch: [(position: UInt64, bytes: [UInt8])] = []
            var size = 0
            while index < records.count, size < Self.bytesPerCommit {
                let found = records[index]
                let bytes = try bytes(of: found)
                guard let record = RecordView(bytes.span.bytes), record.isIntact(at: Position(found.position)) else {
                    throw StoreError(
                        .logDamaged, "the file changed while it was read", position: Position(found.position))
                }
                index += 1
                guard names.isPlausible(record), !cut.positions.contains(record.position) else { continue }
                let lost = try gaps.fill(before: record, except: cut.positions)
                for (position, _) in lost { lostPositions.insert(Position(position)) }
                batch += lost
                batch.append((found.position, bytes))
                size += bytes.count + lost.reduce(0) { $0 + $1.bytes.count }
                summary.kept += 1
                if found.standing < .live { summary.repaired += 1 }
                record.forEachSymbolNumber { highest[$0] = max(highest[$0] ?? 0, $1) }
                if EventCatalog.scopes[record.type]?.scope == .chatRoom { chatRooms.insert(record.conversation) }
                end = found.position
            }
            try log.putSalvaged(batch)
        }
        summary.lost = lostPositions.ranges
        try cut.write(to: log.storage.tables)
        try writeSymbols(to: log, account: account, storeID: storeID, highest, chatRooms, &summary)
        for (name, position) in subscriptions {
            try log.setSubscriptionPosition(Position(min(position.rawValue, end)), of: name)
        }
        return summary
    }

    private func bytes(of found: Found) throws -> [UInt8] {
        switch found.place {
        case .page(let place): try file.read(place)
        case .journal(let frame, let index): Array(journal.frames[frame].events.batch.bytes(at: index))
        }
    }

    private func writeSymbols(
        to log: EventLog, account: UserID, storeID: [UInt8]?, _ highest: [SymbolSpace: UInt32],
        _ chatRooms: Set<UInt32>, _ summary: inout SalvagedLog
    ) throws {
        var names = names
        names.set(account)
        let tables = log.storage.tables
        var replaced: [(space: SymbolSpace, number: UInt32, name: String)] = []
        for space in SalvagedNames.spaces {
            let all = names.complete(space, upTo: highest[space] ?? 0, chatRooms: chatRooms)
            try tables.environment.write { transaction in
                for symbol in all {
                    try tables.write(
                        .init(space: space, number: symbol.number, bytes: symbol.bytes), in: transaction)
                }
            }
            replaced += all.filter(\.isReplaced).map { symbol in
                let name =
                    space == .conversation
                    ? ConversationKey(symbolBytes: symbol.bytes)?.description ?? ""
                    : String(decoding: symbol.bytes, as: UTF8.self)
                return (space, symbol.number, name)
            }
        }
        summary.replacedNames = replaced
        try tables.environment.write { transaction in
            for space in [SymbolSpace.hostEvent, .erased] {
                for number in names.numbers(space) {
                    guard let bytes = names.name(space, number) else { continue }
                    try tables.writeName(.init(space: space, number: number, bytes: bytes), in: transaction)
                }
            }
            if let storeID {
                try tables.writeName(.init(space: .store, number: 1, bytes: storeID), in: transaction)
            }
        }
    }
}

extension EventLog {
    /// Puts records that follow those that are there.
    fileprivate func putSalvaged(_ batch: [(position: UInt64, bytes: [UInt8])]) throws {
        let tables = storage.tables
        try tables.environment.write { transaction in
            var end = try transaction.cursor(in: tables.records)
            var last = try end.move(.last) ? RecordView(end.value)?.clockTime : nil
            for (position, bytes) in batch {
                if let record = RecordView(bytes.span.bytes) {
                    if let last, record.clockTime < last { try tables.add(ClockFall(record), in: transaction) }
                    last = record.clockTime
                }
                try withUnsafeBytes(of: position.bigEndian) { key in
                    try transaction.put(
                        bytes.span.bytes, for: RawSpan(_unsafeBytes: key), in: tables.records, mode: .append)
                }
            }
        }
    }
}
