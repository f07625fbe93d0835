/// The choice of events that the log command shows, beyond a filter of the log.
struct EventSearch {
    /// Only events of one of these origins.
    var origins: Set<Origin> = []
    /// Only events that hold this text somewhere.
    var text: SoughtText?
    /// Only events that name this message.
    var message: MessageNames?
    /// Only events that name this user.
    var user: UserID?
    /// Only events for which all of these hold.
    var comparisons: [EventComparison] = []

    func matches(_ event: RecordedEvent, _ hosts: HostEvents) -> Bool {
        if !origins.isEmpty, !origins.contains(event.source.origin) { return false }
        if let message, !message.isNamed(by: event, hosts) { return false }
        if let user, !NamedInEvent(event.event, hosts).users.contains(user) { return false }
        guard comparisons.allSatisfy({ $0.holds(for: event, hosts) }) else { return false }
        return text?.isIn(event, hosts) ?? true
    }
}

extension String {
    /// Whether the text in small letters holds another, character by character. Foundation, which this file does not
    /// import, has another `contains`.
    func holds(lowercased needle: String) -> Bool { lowercased().contains(needle) }
}
