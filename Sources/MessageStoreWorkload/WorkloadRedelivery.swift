/// Repeats runs of the latest events now and then, as a server does whose pages overlap.
struct WorkloadRedelivery: Sendable {
    private let runLength: Int
    private let startProbability: Double
    /// The latest new events; the one with ordinal n is at n modulo the run length. Empty if nothing is repeated.
    private var latest: [WorkloadEvent] = []
    /// How many new events there were.
    private var recorded = 0
    private var remaining = 0

    init(_ parameters: WorkloadParameters) {
        runLength = parameters.duplicateRunLength
        // With share d and runs of length r, 1 new event causes d / (1 - d) repeated ones, in r times fewer runs.
        startProbability = parameters.duplicateShare / (1 - parameters.duplicateShare) / Double(runLength)
    }

    /// Returns the next event to repeat, if a run is under way.
    mutating func next(index: Int) -> WorkloadEvent? {
        guard remaining > 0 else { return nil }
        var event = latest[(recorded - remaining) % runLength]
        remaining -= 1
        event.duplicateOf = event.index
        event.index = index
        return event
    }

    /// Takes note of a new event and decides whether a run that ends with it starts now.
    mutating func record(_ event: WorkloadEvent, using random: inout SplitMix64) {
        guard startProbability > 0 else { return }
        if latest.count < runLength {
            latest.append(event)
        } else {
            latest[recorded % runLength] = event
        }
        recorded += 1
        if random.chance(startProbability) { remaining = latest.count }
    }
}
