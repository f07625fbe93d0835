/// How a host's type of events provides the text by which its events are found.
///
/// ```swift
/// SearchIndex(hostTexts: [HostText(NoteWritten.self) { $0.note }])
/// ```
public struct HostText: Sendable {
    let type: EventType
    let version: UInt32
    let text: @Sendable (any EventPayload) -> String?

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - payload: A type of the configuration's `events`.
    ///   - version: Raised when `text` changes, so that the index is made again.
    ///   - text: The text of an event; nil where it has none. An event that was redacted comes without its content.
    public init<Payload: EventPayload>(
        _ payload: Payload.Type, version: UInt32 = 1, _ text: @escaping @Sendable (Payload) -> String?
    ) {
        type = EventType(payload)
        self.version = version
        self.text = { event in (event as? Payload).flatMap(text) }
    }
}
