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

/// A list in memory.
final class ListedPostings: Postings {
    private let list: [UInt64]
    private var index = 0

    /// - Parameter list: The highest first.
    init(_ list: [UInt64]) {
        self.list = list
        super.init()
        current = list.first
        estimate = UInt64(list.count)
    }

    override func advance(to highest: UInt64) {
        // Mostly the next one.
        while index < list.count, list[index] > highest { index += 1 }
        current = index < list.count ? list[index] : nil
    }
}

extension ListedPostings {
    /// The messages of all grams of a run that begin so.
    convenience init(beginning: [UInt8], in run: SearchRun, _ rows: borrowing LaggingSnapshot) throws {
        var reader = ChunkReader(run, try rows.transaction.unboundCursor(in: rows.table))
        var positions: [UInt64] = []
        var isFound = try beginning.withUnsafeBytes { try reader.seek($0, from: .max) }
        while isFound, reader.gram.starts(with: beginning) {
            try reader.appendPositions(to: &positions)
            isFound = try reader.next()
        }
        self.init(Self.descending(positions))
    }

    /// Each number once, the highest first: by a bit for each if there are many, else by sorting.
    private static func descending(_ numbers: [UInt64]) -> [UInt64] {
        guard let lowest = numbers.min(), let highest = numbers.max() else { return [] }
        let words = (highest - lowest) / 64 + 1
        guard words < numbers.count else { return Set(numbers).sorted(by: >) }
        var bits = [UInt64](repeating: 0, count: Int(words))
        for number in numbers { bits[Int((number - lowest) / 64)] |= 1 << ((number - lowest) % 64) }
        var list: [UInt64] = []
        list.reserveCapacity(numbers.count)
        for index in bits.indices.reversed() {
            var word = bits[index]
            while word != 0 {
                let bit = 63 - word.leadingZeroBitCount
                list.append(lowest + UInt64(index) * 64 + UInt64(bit))
                word &= ~(1 << bit)
            }
        }
        return list
    }
}

/// Walks the messages of all runs that may be hits, the highest first.
struct IndexWalk: ~Copyable {
    private let query: CompiledQuery
    private let filters: [[[UInt8]]]
    /// Runs that are not looked into yet, by their highest message.
    private var waiting: [SearchRun]
    private var open: [Postings] = []

    init(_ query: CompiledQuery, _ filter: RecordFilter, _ directory: SearchDirectory) {
        self.query = query
        filters = filter.grams
        waiting = directory.runs.ordered { $0.highest < $1.highest }
    }

    /// The next message below another one; nil at the end.
    mutating func next(below limit: UInt64, _ rows: borrowing LaggingSnapshot) throws -> UInt64? {
        guard limit > 0 else { return nil }
        for postings in open { try postings.advance(to: limit - 1) }
        open.removeAll { $0.current == nil }
        while true {
            let found = open.lazy.compactMap(\.current).max()
            guard let run = waiting.last, found.map({ $0 <= run.highest }) ?? true else { return found }
            waiting.removeLast()
            guard run.lowest < limit else { continue }
            let postings = try self.postings(of: run, rows)
            try postings.advance(to: limit - 1)
            if postings.current != nil { open.append(postings) }
        }
    }

    private func postings(of run: SearchRun, _ rows: borrowing LaggingSnapshot) throws -> Postings {
        var lists: [Postings] = []
        switch query.query.matching {
        case .all:
            for requirement in Set(query.terms.flatMap(\.requirements)) {
                let list = try postings(of: requirement, run, rows)
                guard list.current != nil else { return list }
                lists.append(list)
            }
        case .any:
            var terms: [Postings] = []
            for term in query.terms {
                var all: [Postings] = []
                for requirement in term.requirements { all.append(try postings(of: requirement, run, rows)) }
                terms.append(all.count == 1 ? all[0] : try CommonPostings(all))
            }
            lists.append(UnitedPostings(terms))
        }
        for grams in filters {
            var united: [Postings] = []
            for gram in grams { united.append(try GramPostings(gram, in: run, rows)) }
            lists.append(united.count == 1 ? united[0] : UnitedPostings(united))
        }
        return lists.count == 1 ? lists[0] : try CommonPostings(lists)
    }

    private func postings(
        of requirement: CompiledTerm.Requirement, _ run: SearchRun, _ rows: borrowing LaggingSnapshot
    ) throws -> Postings {
        switch requirement {
        case .gram(let gram): try GramPostings(gram, in: run, rows)
        case .beginning(let beginning): try ListedPostings(beginning: beginning, in: run, rows)
        }
    }
}
