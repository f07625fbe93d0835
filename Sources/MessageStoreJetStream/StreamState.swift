#if JetStream
/// What the server says of a stream.
struct StreamState {
    /// When it was created, in nanoseconds since 1970.
    let created: Int64
    /// The number of its last message, which may be erased.
    let last: UInt64
    /// How many messages the subjects have that were asked for.
    let counts: [String: Int]
    let isReplicated: Bool
}
#endif
