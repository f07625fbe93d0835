extension MessageStore {
    /// How many events that the index lacks a search reads if no other number is given.
    public static var defaultScan: Int { 32_768 }

    /// Finds messages by the text that they show.
    ///
    /// Every hit is compared with the message as it is now: a recalled, deleted, erased or hidden message is never found, and
    /// a modified one is found by its last content. Costs some tenths of a millisecond for the events that the index does not
    /// have yet, and for each page look-ups of the query's grams and a comparison of each candidate.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - cursor: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of hits, 1 to 1000.
    ///   - scan: How many events that the index lacks, the newest, are read one by one; without a registered
    ///     ``SearchIndex`` it lacks all. If there are more, see ``SearchPage/isComplete``.
    ///   - check: Called now and then; an error of it ends the search.
    /// - Throws: `StoreError`: `invalidArgument` for a query with nothing to look for or with too much, and for a limit
    ///   out of range; `rebuilding`; or what `check` throws.
    public func search(
        _ query: SearchQuery, after cursor: PageCursor? = nil, limit: Int = 20, scanning scan: Int = defaultScan,
        check: () throws -> Void = {}
    ) throws -> SearchPage {
        try read { try search(query, after: cursor, limit: limit, scanning: scan, in: $0, check: check) }
    }

    /// The same in a read that sees these views.
    func search(
        _ query: SearchQuery, after cursor: PageCursor?, limit: Int, scanning scan: Int, in views: borrowing Views,
        check: () throws -> Void = {}
    ) throws -> SearchPage {
        try Views.check(limit: limit)
        let index = registered(SearchIndex.self)
        var search = MessageSearch(
            try CompiledQuery(query), limit: limit, scanning: scan, hostTexts: index?.hostTexts ?? [:])
        var withoutIndex = search
        guard index != nil else { return try withoutIndex.page(nil, views, after: cursor, check) }
        do {
            // The index may be ahead of the views: its entries of later events name no message of theirs.
            return try read(SearchIndex.id) { try search.page($0, views, after: cursor, check) }
        } catch let error as StoreError where error.code == .viewsDamaged {
            // The index is made again meanwhile; if the views are damaged, this throws as well.
            return try withoutIndex.page(nil, views, after: cursor, check)
        }
    }

    /// Finds messages; the `async` form of ``search(_:after:limit:scanning:check:)``, which ends early if the task is
    /// cancelled.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func search(
        _ query: SearchQuery, after cursor: PageCursor? = nil, limit: Int = 20, scanning scan: Int = defaultScan
    ) async throws -> SearchPage {
        try await readCancellably { check in
            try self.search(query, after: cursor, limit: limit, scanning: scan, check: check)
        }
    }
}

extension SearchQuery {
    /// Checks that a search takes the query.
    ///
    /// - Throws: `StoreError` with code `invalidArgument` if the query has nothing to look for, or too much.
    public func check() throws { _ = try CompiledQuery(self) }
}

extension MessageStore {
    /// The newest hits of a search, live.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - limit: The maximum number of hits, 1 to 1000.
    ///   - policy: When to refresh.
    /// - Returns: See `LiveQuery`; a refresh costs as much as ``search(_:after:limit:scanning:check:)``, and the
    ///   iteration ends with its error.
    public func observeSearch(
        _ query: SearchQuery, limit: Int = 20, policy: RefreshPolicy = .perPackage
    ) -> LiveQuery<[SearchHit]> {
        observe(policy: policy) { [weak self] views in
            try self?.search(query, after: nil, limit: limit, scanning: Self.defaultScan, in: views).elements ?? []
        }
    }
}
