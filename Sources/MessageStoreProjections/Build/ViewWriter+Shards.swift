internal import Dispatch
internal import MessageStoreLMDB

extension ViewWriter {
    /// Folds the log towards `last` on several threads, each with a part of the conversations, as long as
    /// enough events are left for that.
    func catchUpInShards(to last: Position, progress: FoldProgress) throws {
        let count = configuration.shards
        while count > 1, try folded(isWorth: last) {
            try flush()
            let (environment, checkpoint, plan, folded) = state.withLock {
                ($0.buffer.environment, $0.buffer.checkpoint, $0.buffer.plan, $0.buffer.active.position)
            }
            guard checkpoint.position == folded else { return }
            var shards = (0..<count).map {
                Locked(ViewBuffer(log, environment, checkpoint, plan, shard: FoldShard(index: $0, count: count)))
            }
            var reached = checkpoint.position
            var byteCount = 0
            repeat {
                reached = Position(min(last.rawValue, reached.rawValue + configuration.shardedEvents))
                let next = reached
                try Self.forEach(shards) { shard throws in
                    // No read of the log stays open for longer.
                    while shard.active.position < next {
                        let end = shard.active.position.rawValue + ViewBuffer.chunk
                        try shard.fold(to: Position(min(end, next.rawValue)))
                    }
                }
                byteCount = shards.reduce(0) { $0 + $1.withLock { $0.active.byteCount } }
                try progress(reached, last)
            } while reached < last && byteCount < configuration.bufferBytes
            try Self.forEach(shards) { _ = try $0.snapshot(at: $0.active.position) }
            let layers = shards.map { $0.withLock { $0.active } }
            shards = []
            try state.withLock { state throws in try state.buffer.take(layers) }
        }
    }

    private func folded(isWorth last: Position) throws -> Bool {
        state.withLock { state in
            let plan = state.buffer.plan
            // A host's projection may read rows of all conversations.
            return plan.folded.isDisjoint(with: plan.hosts)
                && last.rawValue >= state.buffer.active.position.rawValue + configuration.shardedEvents
        }
    }

    /// Runs `body` with each part on a thread of its own.
    ///
    /// - Throws: Of what they throw, the error of the earliest record.
    private static func forEach(
        _ shards: [Locked<ViewBuffer>], _ body: @Sendable (inout ViewBuffer) throws -> Void
    ) throws {
        let failures = Locked<[any Error]>([])
        DispatchQueue.concurrentPerform(iterations: shards.count) { index in
            do { try shards[index].withLock { try body(&$0) } } catch { failures.withLock { $0.append(error) } }
        }
        let failed = failures.withLock { $0 }
        let position = { (error: any Error) in (error as? StoreError)?.position ?? Position(.max) }
        if let first = failed.min(by: { position($0) < position($1) }) { throw first }
    }
}

extension ViewBuffer {
    /// Merges the rows that parts have folded over an empty buffer.
    fileprivate mutating func take(_ layers: [RowLayer]) throws {
        let base = try snapshot(at: active.position)
        let firsts = plan.catalog.tableBits(of: ProjectionSet(rawValue: plan.ofAccount))
        let merged = try RowLayer(merging: layers, firsts: firsts) { table, key, rows throws in
            try FoldShard.row(merging: rows, of: layers.count, table, key, over: base)
        }
        take(merged)
    }
}
