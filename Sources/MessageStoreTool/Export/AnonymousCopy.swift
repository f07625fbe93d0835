internal import Foundation
internal import MessageStore

/// A store with the same events under other names and without content, for as long as it is exported.
struct AnonymousCopy {
    let store: MessageStore
    /// How many strings have other names, and how many events of each type lost their content.
    let strings: Int
    let cut: [String: Int]

    private let path: String

    /// Copies the events up to a position into a temporary directory.
    init(of original: MessageStore, to last: Position) throws {
        var names = Pseudonyms()
        names.collect(original.account.rawValue)
        var cut: [String: Int] = [:]
        let hosts = HostEvents(try original.eventDescriptions())
        try original.forEachRedactedEvent(from: Position(1), to: last) { event, hadContent in
            try names.collect(event.event)
            if hadContent { cut[hosts.name(of: event.event.type) ?? event.event.payload.typeName, default: 0] += 1 }
        }
        names.assign()
        path =
            FileManager.default.temporaryDirectory.appendingPathComponent("messagestore-export-\(UUID().uuidString)")
            .path
        do {
            store = try MessageStore.open(path, account: UserID(names.name(of: original.account.rawValue)))
            try store.describe(try original.eventDescriptions())
            var page: ArraySlice<RecordedEvent> = []
            var reached = Position.origin
            try store.restore {
                if page.isEmpty, reached < last {
                    let end = min(Position(reached.rawValue + 1_000), last)
                    try original.forEachRedactedEvent(from: Position(reached.rawValue + 1), to: end) { event, _ in
                        page.append(event)
                    }
                    reached = end
                }
                return try page.popFirst().map { $0.replacing(try names.renamed($0.event)) }
            }
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
        (strings, self.cut) = (names.count, cut)
    }

    func remove() {
        try? store.close()
        try? FileManager.default.removeItem(atPath: path)
    }
}
