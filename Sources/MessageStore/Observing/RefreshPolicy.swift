/// When a live query is refreshed after something was recorded.
///
/// | policy | 200 messages in 0.1 s, one package, window 0.1 s | 10,000 in 1 s, 50 packages, window 0.5 s |
/// | --- | --- | --- |
/// | ``perPackage`` | 1 refresh | 50 refreshes |
/// | ``onCompletion`` | 1 | 1 |
/// | ``throttled(_:)`` | 2 | 3 |
///
/// The table shows the refreshes that an offline sync causes. A refresh runs the query once; if the value equals the
/// one delivered last, nothing is delivered.
public enum RefreshPolicy: Sendable, Hashable {
    /// A refresh after each commit: a package, a batch, a single event.
    case perPackage
    /// No refresh during an offline sync and one when it completes; otherwise a refresh after each commit.
    ///
    /// A sync that is dropped counts as going on until the next one completes; until then nothing is delivered.
    case onCompletion
    /// At most one refresh in each window: the first change starts a window, and the refresh follows at its end.
    ///
    /// The completion of an offline sync ends the window and causes a final refresh at once.
    case throttled(Duration)
}
