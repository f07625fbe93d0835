internal import Foundation
internal import MessageStoreLMDB

/// A temporary store with the events of another, or others at their positions, for as long as it is shown.
struct StoreCopy {
    let store: MessageStore
    private let path: String

    private static let piece: UInt64 = 1_000

    /// Copies the events up to a position into a temporary directory.
    ///
    /// - Parameters:
    ///   - account: Whose store it is; nil for the same.
    ///   - showsProgress: Whether a line shows how far it has come.
    ///   - events: Answers with the events of some positions, each once.
    init(
        of original: MessageStore, to last: Position, account: UserID? = nil,
        configuration: MessageStore.Configuration, showsProgress: Bool = true,
        events: (ClosedRange<Position>) throws -> [RecordedEvent]
    ) throws {
        let replayStart = try original.replayStart()
        guard replayStart == .origin else {
            throw StoreError(
                .positionCut, "events before event \(replayStart) were cut off: the log cannot be replayed whole")
        }
        let progress = showsProgress ? ReplayProgressLine("copying") : nil
        defer { progress?.finish() }
        path = Leftovers.newPath(.copying, in: FileSystem.temporaryDirectory)
        do {
            store = try MessageStore.open(path, account: account ?? original.account, configuration: configuration)
            try store.describe(try original.eventDescriptions())
            var page: ArraySlice<RecordedEvent> = []
            var reached = Position.origin
            try store.appendRecorded {
                if page.isEmpty, reached < last {
                    let first = Position(reached.rawValue + 1)
                    reached = min(Position(reached.rawValue + Self.piece), last)
                    page = try events(first...reached)[...]
                    try progress?.update(reached: reached, last: last)
                }
                return page.popFirst()
            }
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
    }

    func remove() {
        try? store.close()
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// A store with the same events without content, and under other names unless they are kept, for as long as it is
/// shown.
struct AnonymousCopy {
    var store: MessageStore { copy.store }
    /// How many strings have other names, and how many events of each type lost their content.
    let strings: Int
    let cut: [String: Int]

    private let copy: StoreCopy

    /// Copies the events up to a position into a temporary directory.
    ///
    /// - Parameter shift: Milliseconds by which every time is later, unless names are kept.
    init(of original: MessageStore, to last: Position, keepsNames: Bool = false, shift: Int64 = 0) throws {
        var names = Pseudonyms(shift: shift)
        if !keepsNames { names.collect(original.account.rawValue) }
        var cut: [String: Int] = [:]
        let hosts = HostEvents(try original.eventDescriptions())
        let progress = ReplayProgressLine("copying")
        try original.forEachRedactedEvent(from: Position(1), to: last) { event, hadContent in
            if !keepsNames { try names.collect(event.event) }
            if event.position.rawValue.isMultiple(of: 1_000) { try Interruption.check() }
            if hadContent { cut[hosts.typeName(of: event), default: 0] += 1 }
        }
        progress.finish()
        names.assign()
        let renamed = names
        var configuration = MessageStore.Configuration()
        configuration.privacy.key = MessageStoreCommand.key
        copy = try StoreCopy(
            of: original, to: last,
            account: keepsNames ? original.account : UserID(names.name(of: original.account.rawValue)),
            configuration: configuration
        ) { range in
            var page: [RecordedEvent] = []
            try original.forEachRedactedEvent(from: range.lowerBound, to: range.upperBound) { event, _ in
                page.append(keepsNames ? event.replacing(event.event) : try renamed.renamed(event))
            }
            return page
        }
        (strings, self.cut) = (names.count, cut)
    }

    func remove() { copy.remove() }
}
