import MessageStore

/// Follows the list and the badge, as a view model does.
actor LiveBadge {
    private(set) var badge = 0
    private(set) var rows: [String] = []
    private(set) var changes = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private struct Shown: Sendable, Equatable {
        let badge: Int
        let rows: [String]
    }

    /// Follows until the store is closed.
    func follow(_ store: MessageStore) async throws {
        let shown = store.observe { views in
            Shown(
                badge: try views.unreadTotals().badge,
                rows: try views.conversations().elements.map { "\($0.displayName): \($0.lastMessage?.text ?? "")" }
            )
        }
        for try await value in shown {
            (badge, rows) = (value.badge, value.rows)
            changes += 1
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
    }

    /// Waits until the badge is so much and the first row reads so.
    func waitFor(badge: Int, first row: String) async {
        while self.badge != badge || rows.first != row {
            await withCheckedContinuation { waiting.append($0) }
        }
    }
}
