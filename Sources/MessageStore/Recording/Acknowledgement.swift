/// What has become of events when the call that records them returns.
///
/// In both cases every view shows them, and a package is there as a whole or not at all.
public enum Acknowledgement: Sendable, Hashable {
    /// They have survived: their commit is down, as the store's durability says.
    case durable
    /// They are visible in this process and wait for a commit, which they share with others.
    ///
    /// The commit comes by itself, at the latest when ``MessageStore/MessageStore/Configuration/groupCommit`` says; until
    /// then the end of the process loses them, the newest first. Tell a server that a package arrived only when
    /// `waitUntilDurable(through:)` has returned. Other processes, tails and subscribers see only what is durable.
    case visible
}
