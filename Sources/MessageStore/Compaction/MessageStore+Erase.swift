internal import Logging
internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension MessageStore {
    /// Removes what recorded events erase from the log's records, and continues an erasure that a crash ended. The
    /// writer's lock is held.
    func finishErasures(_ resources: WritingResources) throws {
        let events = try resources.log.unfinishedErasures()
        guard !events.isEmpty else { return }
        let positions = try resources.views.read { try $0.wordPositions(erasedBy: events) }
        defer { resources.views.noteRedaction() }
        try resources.log.finishErasures(of: events, blanking: positions, now: configuration.now())
    }

    /// The same at an opening and after events that erase, which stay recorded where it fails: it is tried
    /// again when nothing is recorded for a while, by a compaction, and by the next opening.
    func tryToFinishErasures(_ resources: WritingResources, _ state: inout WriterState) {
        state.owesErasures = false
        do {
            try resources.log.commit()
            try finishErasures(resources)
        } catch {
            state.owesErasures = true
            configuration.logger.error("erasing failed", metadata: ["error": "\(error)"])
        }
        tailWaiters.wake(isRewrite: true)
    }
}
