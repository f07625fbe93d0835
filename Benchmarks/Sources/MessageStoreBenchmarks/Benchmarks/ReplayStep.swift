internal import MessageStore

/// A way to read a whole log again.
enum ReplayStep: CaseIterable {
    case scan
    case events
    case decode
    case fold
    case digests
    case rebuild

    var name: String {
        switch self {
        case .scan: "scan of the log, checksums verified"
        case .events: "events, none decoded"
        case .decode: "decode of every event"
        case .fold: "fold in memory"
        case .digests: "fold in memory, with digests"
        case .rebuild: "rebuild of all projections"
        }
    }

    func run(on store: MessageStore) throws {
        switch self {
        case .scan:
            // A type that no event has: every envelope is read, none is decoded.
            try store.forEachEvent(where: EventFilter(types: [EventType(rawValue: 0x7FFF)])) { _ in true }
        case .events:
            var bytes = 0
            try store.forEachEvent { event in
                bytes += event.byteCount
                return true
            }
            guard bytes > 0 else { throw Failure("no event was read") }
        case .decode:
            var origins = 0
            try store.forEachEvent { event in
                origins += Int(event.event.origin.rawValue)
                return true
            }
            guard origins > 0 else { throw Failure("no event was decoded") }
        case .fold:
            try store.replay(to: store.lastPosition()) { _ in }
        case .digests:
            guard try store.digests(at: store.lastPosition()) == store.digests() else {
                throw Failure("the fold in memory differs from the served views")
            }
        case .rebuild:
            try store.rebuild()
        }
    }
}
