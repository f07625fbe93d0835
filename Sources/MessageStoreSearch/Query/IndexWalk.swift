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
