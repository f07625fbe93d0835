import Foundation
import MessageStore

/// One step of forgetting or copying, in a store that a test made; acknowledges 1 when it is done.
enum Forgetting {
    /// - Parameters:
    ///   - step: By its number in `ForgettingTests`.
    ///   - other: Where a copy is written.
    static func run(_ step: UInt64, _ path: String, to other: String) throws {
        if step == 6 {
            try MessageStore.restoreBackup(from: path, segments: [path + ".segment"], to: other)
            acknowledge(Position(1))
            exit(0)
        }
        var configuration = MessageStore.Configuration()
        // Two days after the last message was recorded.
        configuration.now = { Timestamp(milliseconds: step == 4 ? 172_801_000 : 1_000) }
        let store = try MessageStore.open(path, account: "me", configuration: configuration)
        switch step {
        case 1: try store.record(Event(HistoryCleared(erases: true), in: .group("g")))
        case 2: try store.erase(users: ["bob"], alsoMessages: true)
        case 3: try store.compact()
        case 5: try store.backup(to: other)
        case 7:
            var policy = RetentionPolicy()
            policy.includesUnread = true
            policy.conversations[.group("g")] = .init(messages: 1)
            try store.retain(policy)
            try store.compact()
        default:
            // Messages whose time came go at the opening, unless there is no room; the host sees no error.
            let left = try store.read { try $0.timeline(of: .group("g"), limit: 1).messages.count }
            guard left == 0 else { exit(3) }
        }
        acknowledge(Position(1))
        withExtendedLifetime(store) { exit(0) }
    }
}
