/// When a live query is refreshed after something was recorded.
///
/// | policy | 200 messages in 0.1 s, one package, window 0.1 s | 10,000 in 1 s, 50 packages, window 0.5 s |
/// | --- | --- | --- |
/// | ``perPackage`` | 1 refresh | 50 refreshes |
/// | ``onCompletion`` | 1 | 1 |
/// | ``throttled(_:)`` | 2 | 3 |
///
/// The table counts what the messages of an offline sync cause. A refresh runs the query once; where the value is
/// the one delivered last, nothing is delivered.
public enum RefreshPolicy: Sendable, Hashable {
    /// A refresh after each commit: a package, a batch, a single event.
    case perPackage
    /// While an offline sync is going on none, and one when it completes; at other times after each commit.
    ///
    /// A sync that is dropped counts as going on until the next one completes; until then nothing is delivered.
    case onCompletion
    /// Fixed windows: the first change starts one, at its end comes one refresh, the next change starts another.
    ///
    /// The completion of an offline sync drops the window and brings a final refresh at once.
    case throttled(Duration)
}
