import MessageStore
import Synchronization

/// The samples of `Docs/Debugging.md`, as they stand there.
enum DebuggingSample {}

// sample begins
/// An event as it should have been recorded: with the time in milliseconds where it came in seconds.
@Sendable func inMilliseconds(_ recorded: RecordedEvent) -> [Event] {
    var event = recorded.event
    guard var message = event.payload as? MessageReceived,
        (1..<100_000_000_000).contains(message.sentTime.milliseconds)
    else { return [event] }
    message.sentTime = Timestamp(milliseconds: message.sentTime.milliseconds * 1000)
    event.payload = message
    return [event]
}

/// The last changes of a conversation's unread count, had the events been recorded that `transform` answers with.
func unreadChanges(
    of conversation: ConversationKey, in store: MessageStore, transform: MessageStore.EventTransform? = nil
) throws -> [ValueChange<Int>] {
    let session = try store.replaySession(transform: transform)
    return try session.lastChanges(
        of: { try $0.unread(of: conversation).messages }, at: EventFilter(conversation: conversation), limit: 3
    ).changes
}
// sample ends

// sample begins
/// Records a log anew in another store, as `transform` has it, at the times at which it was recorded.
func copy(_ store: MessageStore, to path: String, transform: MessageStore.EventTransform) throws {
    final class Clock: Sendable { let time = Mutex(Timestamp.unknown) }
    let clock = Clock()
    var configuration = MessageStore.Configuration()
    configuration.now = { clock.time.withLock { $0 } }
    let other = try MessageStore.open(path, account: store.account, configuration: configuration)
    try store.forEachEvent { recorded in
        clock.time.withLock { $0 = recorded.recordedTime }
        try other.record(transform(recorded))
        return true
    }
    try other.close()
}
// sample ends

// sample begins
/// Records an event before another one and not where it was.
func moving(
    _ moved: Position, before place: Position, in store: MessageStore
) throws -> MessageStore.EventTransform {
    let events = try store.events(from: moved, to: moved, limit: 1).map(\.event)
    return { recorded in
        switch recorded.position {
        case moved: []
        case place: events + [recorded.event]
        default: [recorded.event]
        }
    }
}
// sample ends
