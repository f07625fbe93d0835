package import MessageStore

/// A seed's batches together with the model of the store that records them, so that any process can go on where
/// another one ended.
package struct CrashStream: Sendable {
    private var events: RandomEvents
    /// The store after the batches taken so far.
    package private(set) var model = StoreModel(account: RandomEvents.account)
    /// The position of the last event after each of these batches.
    package private(set) var ends: [Position] = []

    /// Begins a stream with batches of 1 to 50 events.
    package init(seed: UInt64) {
        events = RandomEvents(seed: seed, largestBatch: 50)
    }

    /// The next batch, recorded in the model.
    package mutating func next() -> [Event] {
        let batch = events.nextBatch(after: model.lastPosition)
        model.record(batch, at: Timestamp(milliseconds: 0))
        ends.append(model.lastPosition)
        return batch
    }
}
