/// The guarantee about events when the call that records them returns.
///
/// In both cases every view shows them, and a package is recorded as a whole or not at all.
public enum Acknowledgement: Sendable, Hashable {
    /// They are in the log, with the durability that the store is configured with.
    case durable
    /// They are visible in this process and become durable later, together with others.
    ///
    /// That follows within the limits of ``MessageStore/MessageStore/Configuration/groupCommit``; if the process
    /// ends before it, they are lost, the newest first. Confirm a package to a server only after
    /// `waitUntilDurable(through:)` has returned. Other processes, tails and subscribers see only what is durable.
    case visible
}
