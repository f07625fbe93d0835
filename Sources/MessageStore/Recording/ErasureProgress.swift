/// How far the erasing has come that recorded events order.
public enum ErasureProgress: Hashable, Sendable {
    /// No answer has what the events erase, in any process; or they erase nothing.
    case done
    /// It begins when the time has come that ``MessageStore/Configuration/removedContent`` says.
    case waiting
    /// The events are recorded, and answers may have what they erase, because of an error. The store tries again within
    /// a minute and at its next opening for writing.
    case unfinished(StoreError)

    /// - Throws: `StoreError` with code `erasureUnfinished`.
    func requireDone(recordedAt position: Position, path: String) throws {
        guard case .unfinished(let cause) = self else { return }
        throw StoreError(
            .erasureUnfinished,
            "the event is recorded and the erasure is not finished: \(cause.message); the store tries again within a minute and at its next opening for writing",
            position: position, path: path)
    }
}
