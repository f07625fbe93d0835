internal import Foundation
internal import MessageStore

/// Reads the chosen events of a store, those that are there and those that come.
struct EventReader {
    let store: MessageStore
    let filter: EventFilter
    let search: EventSearch
    /// Told of damaged records, which are left out; nil to end at the first.
    let onDamage: ((StoreError) throws -> Void)?
    let print: (RecordedEvent, HostEvents) throws -> Void

    /// Prints the events between two positions, or only the last of them.
    func read(from first: Position, to final: Position, last: Int? = nil) throws {
        guard first <= final, final > .origin else { return }
        let hosts = HostEvents(try store.eventDescriptions())
        var found: [RecordedEvent] = []
        let order: MessageStore.EventOrder = last == nil ? .ascending : .descending
        try store.forEachEvent(from: first, to: final, order: order, where: filter, onDamage: onDamage) { event in
            guard search.matches(event, hosts) else { return true }
            guard let last else {
                try print(event, hosts)
                return true
            }
            found.append(event)
            return found.count < last
        }
        for event in found.reversed() { try print(event, hosts) }
    }

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
