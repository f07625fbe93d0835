internal import MessageStore

/// Which events the log command shows, beyond what a filter of the log knows.
struct EventSearch {
    /// Only events of one of these origins.
    var origins: Set<Origin> = []
    /// Only events that hold this text somewhere, in whatever case.
    var text: String?
    /// Only events that name this message.
    var message: MessageNames?

    func matches(_ event: RecordedEvent, _ hosts: HostEvents) -> Bool {
        if !origins.isEmpty, !origins.contains(event.event.origin) { return false }
        if let message, !message.isNamed(by: event, hosts) { return false }
        guard let text = text?.lowercased() else { return true }
        return EventColumns(event, hosts, hasContent: true).columns.contains {
            $0.text?.lowercased().contains(text) == true
        }
    }
}
