internal import MessageStoreLMDB

/// Messages, the highest first, that can be walked and skipped.
class Postings {
    /// The message where the walk is; nil at its end.
    final var current: UInt64?
    /// About how many there are, to begin with the fewest.
    final var estimate: UInt64 = 0

    /// Moves to the highest message that is not above another one.
    func advance(to highest: UInt64) throws {}
}

/// The list of a gram in a run.
final class GramPostings: Postings {
    private let gram: [UInt8]
    private var reader: ChunkReader
    private var list = PostingReader(UnsafeRawBufferPointer(start: nil, count: 0))

    init(_ gram: [UInt8], in run: SearchRun, _ rows: borrowing LaggingSnapshot) throws {
        self.gram = gram
        reader = ChunkReader(run, try rows.transaction.unboundCursor(in: rows.table))
        super.init()
        try seek(.max)
        // A list that has several rows is long; how long does not matter.
        estimate = current == nil ? 0 : reader.count
    }

    private func seek(_ highest: UInt64) throws {
        guard try gram.withUnsafeBytes({ try reader.seek($0, from: highest) }), reader.gram == gram else {
            current = nil
            return
        }
        list = PostingReader(reader.list)
        current = try list.next()
        try skip(to: highest)
    }

    /// Moves on within the row.
    private func skip(to highest: UInt64) throws {
        while let found = current, found > highest { current = try list.next() }
        guard current == nil else { return }
        // Further messages are in the next row.
        while try reader.next(), reader.gram == gram {
            list = PostingReader(reader.list)
            while let found = try list.next() {
                guard found > highest else {
                    current = found
                    return
                }
            }
        }
    }

    override func advance(to highest: UInt64) throws {
        guard let found = current, found > highest else { return }
        var next: UInt64? = found
        while let found = next, found > highest { next = try list.next() }
        current = next
        // The row ends above it: others are skipped by a look-up.
        if next == nil { try seek(highest) }
    }
}

/// The messages that several lists have in common.
final class CommonPostings: Postings {
    private let lists: [Postings]

    init(_ lists: [Postings]) throws {
        self.lists = lists.sorted { $0.estimate < $1.estimate }
        super.init()
        estimate = self.lists.first?.estimate ?? 0
        try settle()
    }

    override func advance(to highest: UInt64) throws {
        guard let first = lists.first else { return }
        try first.advance(to: highest)
        try settle()
    }

    private func settle() throws {
        current = nil
        guard let first = lists.first else { return }
        candidates: while let candidate = first.current {
            for list in lists.dropFirst() {
                try list.advance(to: candidate)
                guard let found = list.current else { return }
                guard found == candidate else {
                    try first.advance(to: found)
                    continue candidates
                }
            }
            current = candidate
            return
        }
    }
}

/// The messages that at least one of several lists has.
final class UnitedPostings: Postings {
    private let lists: [Postings]

    init(_ lists: [Postings]) {
        self.lists = lists
        super.init()
        estimate = lists.reduce(0) { $0 &+ $1.estimate }
        settle()
    }

    override func advance(to highest: UInt64) throws {
        for list in lists { try list.advance(to: highest) }
        settle()
    }

    private func settle() { current = lists.lazy.compactMap(\.current).max() }
}
