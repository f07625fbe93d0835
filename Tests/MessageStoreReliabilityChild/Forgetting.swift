import Foundation
import MessageStore
import MessageStoreLMDB

/// One step of forgetting or copying, in a store that a test made; acknowledges 1 when it is done.
enum Forgetting {
    private static let secret = "Zq7secretQz7"

    private static func open(_ step: UInt64, _ path: String, at now: Int64 = 1_000) throws -> MessageStore {
        var configuration = MessageStore.Configuration.ofTests
        configuration.now = { Timestamp(milliseconds: now) }
        configuration.automaticCompaction = nil
        // Stores of earlier formats are clear.
        if step > 7 { configuration.privacy.key = nil }
        return try MessageStore.open(path, account: "me", configuration: configuration)
    }

    /// Forty messages of one conversation with a secret, which may disappear, and of another one without.
    static func make(_ step: UInt64, _ path: String) throws {
        let original = step == 6 ? path + ".original" : path
        let store = try open(step, original)
        for number in 1...40 {
            let text = String(repeating: secret + " ", count: number * 5)
            var context = MessageContext()
            if step == 4 { context.timer = MessageTimer(seconds: 3_600) }
            let time = Timestamp(milliseconds: Int64(number))
            try store.record([
                .received(
                    ServerMessageID("g\(number)"), from: "bob", in: .group("g"), at: time, content: .text(text),
                    context: context),
                .received(
                    ServerMessageID("h\(number)"), from: "eve", in: .group("h"), at: time, content: .text("harmless")),
            ])
        }
        if step == 3 { try store.record([Event(HistoryCleared(erases: true), in: .group("g"))]) }
        if step == 6 {
            let last = try store.backup(to: path)
            try store.record([
                .received("i", from: "eve", in: .group("i"), at: Timestamp(milliseconds: 1), content: .text("i"))
            ])
            try store.writeSegment(after: last, to: path + ".segment")
        }
        try store.close()
        exit(0)
    }

    /// Erases two conversations with two messages between; acknowledges 1 before the last message, 2 after it, and 3.
    static func erase(_ path: String) throws {
        let store = try open(1, path)
        let time = Timestamp(milliseconds: 50)
        // The first ones make the table of what is owed, and the journal.
        try store.record(Event(HistoryCleared(erases: true), in: .group("g")))
        try store.record([.received("j", from: "eve", in: .group("h"), at: time, content: .text("harmless"))])
        acknowledge(Position(1))
        try store.record([.received("k", from: "eve", in: .group("h"), at: time, content: .text("harmless"))])
        acknowledge(Position(2))
        try store.record(Event(HistoryCleared(erases: true), in: .group("h")))
        acknowledge(Position(3))
        withExtendedLifetime(store) { exit(0) }
    }

    /// Erases a conversation, and stops itself once the event is recorded; acknowledges 1 before that, and 2 when it goes on.
    static func eraseStopped(_ path: String) throws {
        var configuration = MessageStore.Configuration.ofTests
        configuration.automaticCompaction = nil
        let commits = Locked<Int?>(nil)
        configuration.commitFault = {
            let number = commits.withLock { count in
                count = count.map { $0 + 1 }
                return count
            }
            guard number == 3 else { return }
            acknowledge(Position(1))
            raise(SIGSTOP)
        }
        let store = try MessageStore.open(path, account: "me", configuration: configuration)
        commits.withLock { $0 = 0 }
        try store.record(Event(HistoryCleared(erases: true), in: .group("g")))
        acknowledge(Position(2))
        withExtendedLifetime(store) { exit(0) }
    }

    /// - Parameters:
    ///   - step: By its number in `ForgettingTests`.
    ///   - other: Where a copy is written.
    static func run(_ step: UInt64, _ path: String, to other: String) throws {
        if step == 6 {
            try MessageStore.restoreBackup(
                from: path, segments: [path + ".segment"], to: other, key: TemporaryStore.key)
            acknowledge(Position(1))
            exit(0)
        }
        // Two days after the last message was recorded.
        let store = try open(step, path, at: step == 4 ? 172_801_000 : 1_000)
        switch step {
        case 1: try store.record(Event(HistoryCleared(erases: true), in: .group("g")))
        case 2: try store.erase(.users(["bob"], alsoMessages: true))
        case 3: try store.compact()
        case 5: try store.backup(to: other)
        case 7:
            var policy = RetentionPolicy()
            policy.includesUnread = true
            policy.conversations[.group("g")] = .init(messages: 1)
            try store.retain(policy)
            try store.compact()
        case 8, 9: break
        default:
            // Messages whose time came go at the opening, unless there is no room; the host sees no error.
            let left = try store.read { try $0.timeline(of: .group("g"), limit: 1).elements.count }
            guard left == 0 else { exit(3) }
        }
        acknowledge(Position(1))
        withExtendedLifetime(store) { exit(0) }
    }
}
