import MessageStore

// Docs/Concurrency.md shows the code of this file; a test compares them.

/// What an app does when an opening or a call fails.
enum Remedy {
    case retryLater, updateApp, freeSpace, reopen, rebuildViews, fetchAgain, signInAgain, fixCode
}

extension StoreError {
    /// The remedy for each code.
    var remedy: Remedy {
        switch code {
        case .rebuilding, .tooManyReaders, .hookFailed, .alreadyOpen: .retryLater
        case .newerFormat: .updateApp
        case .diskFull: .freeSpace
        case .mustReopen, .closed: .reopen
        case .viewsDamaged, .projectionFailed: .rebuildViews
        case .logDamaged, .logRolledBack, .recordDamaged: .fetchAgain
        case .accountMismatch: .signInAgain
        default: .fixCode
        }
    }
}

extension MessageStore {
    /// The badge, live; continues after a temporary failure.
    func followBadge(_ show: (Int) async -> Void) async throws {
        while true {
            do {
                for try await totals in observeUnreadTotals() { await show(totals.badge) }
                return  // The store was closed, or the task was cancelled.
            } catch let error as StoreError where error.code == .rebuilding {
                try await waitUntilRebuilt()
            }
        }
    }

    /// A conversation's name and messages, from one position of the log.
    func header(of conversation: ConversationKey) async throws -> (name: String?, newest: [Message]) {
        try await read { views in
            (
                name: try views.conversation(conversation)?.displayName,
                newest: try views.timeline(of: conversation, limit: 20).elements
            )
        }
    }
}
