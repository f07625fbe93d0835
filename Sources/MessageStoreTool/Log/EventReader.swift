internal import Foundation

extension MessageStore {
    /// The event at a position; nil where there is none.
    func event(at position: Position) throws -> RecordedEvent? {
        try events(from: position, to: position, limit: 1).first
    }
}

/// Reads the chosen events of a store, those that are there and those that come.
struct EventReader {
    let store: MessageStore
    let filter: EventFilter
    let search: EventSearch
    /// Called for damaged records, which are left out; nil to end at the first.
    let onDamage: ((StoreError) throws -> Void)?
    let print: (RecordedEvent, HostEvents) throws -> Void

    /// Prints the events between two positions, or only the last of them.
    func read(from first: Position, to final: Position, last: Int? = nil) throws {
        guard first <= final, final > .origin else { return }
        let hosts = HostEvents(try store.eventDescriptions())
        guard let last else { return try readAll(from: first, to: final, hosts) }
        var found: [RecordedEvent] = []
        try store.forEachEvent(from: first, to: final, order: .descending, where: filter, onDamage: onDamage) { event in
            if search.matches(event, hosts) { found.append(event) }
            return found.count < last
        }
        for event in found.reversed() { try print(event, hosts) }
    }

    /// Prints the events in parts, outside of the log's read, so that names can be looked up.
    private func readAll(from first: Position, to final: Position, _ hosts: HostEvents) throws {
        var next: Position? = first
        while let start = next {
            var found: [RecordedEvent] = []
            next = nil
            try store.forEachEvent(from: start, to: final, where: filter, onDamage: onDamage) { event in
                guard search.matches(event, hosts) else { return true }
                found.append(event)
                guard found.count == Self.partSize else { return true }
                next = Position(event.position.rawValue + 1)
                return false
            }
            for event in found { try print(event, hosts) }
        }
    }

    private static let partSize = 256

    /// Prints each event after a position when it is there, whichever process recorded it; does not return.
    func follow(after position: Position) throws -> Never {
        var reached = position
        while true {
            // Whoever reads the output sees all there is before the wait.
            try StandardOutput.flush()
            let end = try store.lastPosition()
            if end > reached {
                try read(from: Position(reached.rawValue + 1), to: end)
                reached = end
            } else {
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
    }
}
