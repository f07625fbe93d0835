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
    ///   - events: Answers with the events of some positions, each once.
    init(
        of original: MessageStore, to last: Position, account: UserID? = nil,
        configuration: MessageStore.Configuration = .init(),
        events: (ClosedRange<Position>) throws -> [RecordedEvent]
    ) throws {
        let base = try original.base()
        guard base == .origin else {
            throw StoreError(.positionCut, "events before event \(base) were cut off: the log cannot be replayed whole")
        }
        let progress = ReplayProgressLine("copying")
        defer { progress.finish() }
        Leftovers.remove(.copying, in: FileSystem.temporaryDirectory)
        path = FileSystem.temporaryDirectory + "/" + Leftovers.Mark.copying.newName()
        do {
            store = try MessageStore.open(path, account: account ?? original.account, configuration: configuration)
            try store.describe(try original.eventDescriptions())
            var page: ArraySlice<RecordedEvent> = []
            var reached = Position.origin
            try store.restore {
                if page.isEmpty, reached < last {
                    let first = Position(reached.rawValue + 1)
                    reached = min(Position(reached.rawValue + Self.piece), last)
                    page = try events(first...reached)[...]
                    try progress.update(reached: reached, last: last)
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
