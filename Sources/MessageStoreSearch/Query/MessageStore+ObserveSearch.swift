extension MessageStore {
    /// The newest hits of a search, live.
    ///
    /// - Parameters:
    ///   - query: What to look for.
    ///   - limit: The maximum number of hits, 1 to 1000.
    ///   - policy: When to refresh.
    /// - Returns: See `LiveQuery`; a refresh costs what ``search(_:after:limit:scanning:check:)`` does, and the iteration ends with
    ///   what that throws.
    public func observeSearch(
        _ query: SearchQuery, limit: Int = 20, policy: RefreshPolicy = .perPackage
    ) -> LiveQuery<[SearchHit]> {
        observe(policy: policy) { [weak self] views in
            try self?.search(query, after: nil, limit: limit, scanning: Self.defaultScan, in: views).hits ?? []
        }
    }
}
