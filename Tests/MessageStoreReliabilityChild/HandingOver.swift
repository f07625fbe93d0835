import MessageStore
import MessageStoreSharing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Helper processes that hand over messages and settings, and an app that records them.
enum HandingOver {
    static let account: UserID = "me"
    /// One of so many events is a setting, which has no identity.
    static let eventsPerSetting: UInt64 = 11

    static func inbox(_ directory: String) -> Inbox {
        Inbox(at: directory + "/inbox", account: account, key: TemporaryStore.key)
    }

    /// Hands over a helper's events one by one, and acknowledges the number of each.
    static func handOver(_ directory: String, helper: UInt64, numbers: String) throws {
        let numbers = numbers.split(separator: "-").compactMap { UInt64($0) }
        guard numbers.count == 2, numbers[0] <= numbers[1] else { exit(64) }
        let inbox = inbox(directory)
        acknowledge(.origin)
        for number in numbers[0]...numbers[1] {
            try inbox.handOver([event(number, of: helper)])
            acknowledge(Position(number))
        }
    }

    private static func event(_ number: UInt64, of helper: UInt64) -> Event {
        let conversation = ConversationKey.group("g\(number % 7)")
        let time = Timestamp(milliseconds: 1_700_000_000_000 + Int64(number))
        guard !number.isMultiple(of: eventsPerSetting) else {
            return Event(ConversationDraftChanged("h\(helper)-\(number)"), in: conversation)
        }
        return .received(
            "h\(helper)-\(number)", from: "u\(number % 5)", in: conversation, at: time, content: .text("\(number)"))
    }

    /// Records what comes, until it is killed.
    static func record(_ directory: String) throws {
        var configuration = MessageStore.Configuration.ofTests
        configuration.processes.inboxPath = directory + "/inbox"
        configuration.bufferBytes = 64 << 10
        let store = try MessageStore.open(directory + "/store", account: account, configuration: configuration)
        acknowledge(.origin)
        while true {
            // Where nobody reads that any more, the process ends.
            usleep(50_000)
            acknowledge(try store.lastPosition())
        }
    }
}
