import MessageStore

extension MessageStore {
    /// Records events in one commit or, where one of them breaks a rule, each by itself: what a server or somebody in a
    /// room sends must not stop the sync.
    ///
    /// - Returns: How many broke a rule and were left out.
    func recordAllowed(_ events: [Event]) async throws -> Int {
        do {
            try await record(events)
            return 0
        } catch let error as StoreError where error.code == .invalidArgument {
            var left = 0
            for event in events {
                do {
                    try await record(event)
                } catch let error as StoreError where error.code == .invalidArgument {
                    left += 1
                }
            }
            return left
        }
    }
}

extension String {
    /// Whether a store allows it as an id.
    var isIdentifier: Bool { !isEmpty && utf8.count <= EventLimits.identifierBytes }
}
