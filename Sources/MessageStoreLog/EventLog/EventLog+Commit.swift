internal import MessageStoreLMDB

/// What was recorded and where the log ends: what is committed, and behind it what waits for its commit.
struct LogEnd: Sendable {
    /// The position of the last record, committed or not, and its time.
    var position = Position.origin
    var recordedTime = Timestamp.unknown
    /// The end of what is committed.
    var committed = Position.origin
    /// What is visible in this process and waits for a commit, in order.
    var staged: [PreparedAppend] = []
    var stagedBytes: Int { staged.reduce(0) { $0 + $1.batch.byteCount } }
}

extension EventLog {
    /// Makes prepared events visible to the snapshots of this process; nothing is written.
    ///
    /// They are durable when ``commitStaged()`` has returned, together with all that was staged before.
    package func stage(_ prepared: PreparedAppend) {
        guard prepared.batch.count > 0 else { return }
        symbols.stage(prepared.symbols)
        end.withLock { end in
            end.staged.append(prepared)
            end.position = prepared.batch.lastPosition
            end.recordedTime = prepared.batch.recordedTime
        }
    }

    /// Writes everything that is staged in one commit (I6), at dense positions (I1).
    ///
    /// When this returns, what was staged before the call is as durable as the environment's configuration says (I2).
    /// One commit at a time: a second caller waits, and finds its events committed or takes all that have gathered. Where
    /// it throws, everything stays staged. The calling thread must hold no snapshot of the log.
    package func commitStaged() throws {
        try committing.withLock { _ throws in
            let group = end.withLock { $0.staged }
            guard let last = group.last else { return }
            try environment.write { transaction in
                for prepared in group { try write(prepared, in: transaction) }
            }
            end.withLock { end in
                end.staged.removeFirst(group.count)
                end.committed = last.batch.lastPosition
            }
            for prepared in group { symbols.unstage(prepared.symbols) }
        }
    }

    /// Stages events and commits them at once.
    package func commit(_ prepared: PreparedAppend) throws {
        stage(prepared)
        try commitStaged()
    }

    /// Takes back what was staged last, unless it is committed already.
    ///
    /// Nothing may be prepared or staged meanwhile.
    ///
    /// - Returns: Whether it was taken back.
    package func unstage(_ prepared: PreparedAppend) -> Bool {
        committing.withLock { _ in
            let isTaken = end.withLock { end in
                guard end.staged.last === prepared else { return false }
                end.staged.removeLast()
                end.position = Position(prepared.batch.firstPosition.rawValue - 1)
                return true
            }
            if isTaken { symbols.unstage(prepared.symbols) }
            return isTaken
        }
    }

    private func write(_ prepared: PreparedAppend, in transaction: borrowing WriteTransaction) throws {
        for symbol in prepared.symbols { try symbols.write(symbol, in: transaction) }
        for index in 0..<prepared.batch.count {
            let key = (prepared.batch.firstPosition.rawValue + UInt64(index)).bigEndian
            try withUnsafeBytes(of: key) { key in
                try transaction.put(
                    RawSpan(_unsafeBytes: prepared.batch.bytes(at: index)), for: RawSpan(_unsafeBytes: key),
                    in: records,
                    mode: .append)
            }
        }
    }
}
