internal import Foundation
internal import MessageStore
internal import MessageStoreLMDB

/// A store with the same events without content, and under other names unless they are kept, for as long as it is shown.
struct AnonymousCopy {
    let store: MessageStore
    /// How many strings have other names, and how many events of each type lost their content.
    let strings: Int
    let cut: [String: Int]

    private let path: String

    /// Copies the events up to a position into a temporary directory.
    ///
    /// - Parameter shift: Milliseconds by which every time is later, but where names are kept.
    init(of original: MessageStore, to last: Position, keepsNames: Bool = false, shift: Int64 = 0) throws {
        var names = Pseudonyms(shift: shift)
        if !keepsNames { names.collect(original.account.rawValue) }
        var cut: [String: Int] = [:]
        let hosts = HostEvents(try original.eventDescriptions())
        let progress = ReplayProgressLine("copying")
        defer { progress.finish() }
        try original.forEachRedactedEvent(from: Position(1), to: last) { event, hadContent in
            if !keepsNames { try names.collect(event.event) }
            if event.position.rawValue.isMultiple(of: 1_000) { try Interruption.check() }
            if hadContent { cut[hosts.name(of: event.event.type) ?? event.event.payload.typeName, default: 0] += 1 }
        }
        names.assign()
        Leftovers.removeCopies(in: FileSystem.temporaryDirectory)
        path = FileSystem.temporaryDirectory + "/" + Leftovers.newCopy()
        do {
            let account = keepsNames ? original.account : UserID(names.name(of: original.account.rawValue))
            store = try MessageStore.open(path, account: account)
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
                    try progress.update(reached: reached, last: last)
                }
                return try page.popFirst().map { keepsNames ? $0.replacing($0.event) : try names.renamed($0) }
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
