import MessageStore
import MessageStoreSearch
import MessageStoreWorkload

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Records, indexes, merges, erases and compacts until it is killed; and makes the store whose index is damaged.
enum Searching {
    /// Makes a store with an index of several runs.
    static func make(_ path: String, messages: Int) throws {
        let store = try SearchTexts.open(path)
        var random = SplitMix64(seed: 1)
        for start in stride(from: 0, to: messages, by: 50) {
            try store.record((start..<start + 50).map { SearchTexts.message($0, &random) })
            // The last ones wait.
            if start + 50 < messages { try catchUp(store) }
        }
        try store.close()
    }

    /// - Parameter rounds: How many pieces of work.
    static func run(_ path: String, seed: UInt64, rounds: Int) throws {
        let store = try SearchTexts.open(path, follows: true)
        let last = try store.lastPosition()
        var random = SplitMix64(seed: seed &+ last.rawValue)
        acknowledge(last)
        for _ in 0..<rounds {
            let last = Int(try store.lastPosition().rawValue)
            switch random.nextIndex(20) {
            case 0...8:
                let events = (0..<1 + random.nextIndex(80)).map { SearchTexts.message(last + $0, &random) }
                acknowledge(try store.record(events).lastPosition)
            case 9...14: try catchUp(store)
            case 15: try change(store, last, &random)
            case 16, 17: try eraseSecrets(store, few: random.chance(0.5))
            case 18: try store.compact()
            // By then each of the nine users has sent something.
            default: if last > 300 { try store.erase(.users(["u8"], alsoMessages: true)) }
            }
        }
        try store.close()
    }

    /// Indexes and merges, erases what has the secret, acknowledges that when it is complete, and continues without it.
    static func erase(_ path: String, seed: UInt64) throws {
        let store = try SearchTexts.open(path, durability: .full)
        var random = SplitMix64(seed: seed)
        var number = 0
        func record(batches: Int, withSecrets: Bool = false) throws {
            for _ in 0..<batches {
                let events = (number..<number + 40).map { SearchTexts.message($0, &random) }
                number += events.count
                try store.record(events.filter { withSecrets || !SearchTexts.hasSecret($0) })
                try catchUp(store)
            }
        }
        try record(batches: 10, withSecrets: true)
        try eraseSecrets(store, few: true)
        try record(batches: 2, withSecrets: true)
        try eraseSecrets(store)
        guard try store.compact().isErasureComplete else { exit(67) }
        acknowledge(Position(1))
        try record(batches: 8)
        // The index is made again.
        try store.erase(.users(["u8"], alsoMessages: true))
        try record(batches: 2)
        guard try store.compact().isErasureComplete else { exit(67) }
        try record(batches: 1)
        try store.close()
    }

    private static func change(_ store: MessageStore, _ last: Int, _ random: inout SplitMix64) throws {
        let local = LocalMessageID(UInt64(1 + random.nextIndex(max(last, 1))))
        guard let message = try store.read({ try $0.message(local) }) else { return }
        let content = MessageContent(type: .text, text: "w\(random.nextIndex(20))d 不见了")
        let event =
            random.chance(0.5)
            ? Event(MessageRecalled(.local(local)), in: message.conversation)
            : Event(
                MessageModified(.local(local), content: content, at: Timestamp(milliseconds: Int64(last))),
                in: message.conversation)
        try store.record(event)
    }

    /// Erases the words of messages that have the secret.
    static func eraseSecrets(_ store: MessageStore, few: Bool = false) throws {
        var left = few ? 2 : Int.max
        for event in try store.events(limit: .max) where left > 0 {
            guard SearchTexts.hasSecret(event.event) else { continue }
            try store.redact(event.position)
            left -= 1
        }
    }

    /// Lets the index catch up.
    static func catchUp(_ store: MessageStore) throws {
        try store.catchUp(SearchIndex.id)
    }
}
