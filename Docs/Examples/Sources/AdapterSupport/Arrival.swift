import MessageStore

/// A message that arrived and that listeners are told of.
package struct Arrival {
    /// What arrived.
    package let event: Event
    /// The message as it is stored and shown; nil where its policy does not keep it.
    package let message: Message?
}
