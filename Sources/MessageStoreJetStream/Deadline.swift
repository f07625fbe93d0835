#if JetStream
/// The moment at which a call of a carrier fails.
struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    init(_ timeout: Duration) { end = .now + timeout }

    /// What remains, at least one millisecond.
    func milliseconds() throws -> Int64 {
        let left = ContinuousClock.now.duration(to: end)
        guard left > .zero else { throw StoreError(.carrierFailed, "the NATS server did not answer in time") }
        return max(1, left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000)
    }
}
#endif
