package import MessageStore

/// The packages of a sync without an end, so that any process can go on where another one ended.
package struct CrashPackages: Sequence, IteratorProtocol, Sendable {
    /// The number of the last package taken.
    package private(set) var number: UInt32 = 0
    /// The log's last position once the packages taken so far are recorded.
    package private(set) var lastPosition = Position.origin

    /// Begins with the first package.
    package init() {}

    /// The next package: 1 to 60 received messages, behind which the store records one event.
    package mutating func next() -> OfflinePackage? {
        number += 1
        let events = (0...number * 7919 % 60).map { index in
            Event(
                MessageReceived(
                    serverID: ServerMessageID("\(number)-\(index)"), sender: "bob",
                    sentTime: Timestamp(milliseconds: Int64(number) * 100 + Int64(index)), content: .text("t")),
                in: .group("g"), origin: .offline)
        }
        lastPosition = Position(lastPosition.rawValue + UInt64(events.count) + 1)
        return OfflinePackage(index: number, events: events, hasMore: true)
    }
}
