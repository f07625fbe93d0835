internal import MessageStore

/// Which events the log command shows, beyond what a filter of the log knows.
struct EventSearch {
    /// Only events of one of these origins.
    var origins: Set<Origin> = []
    /// Only events that hold this text somewhere, in whatever case.
    var text: String? { didSet { needle = text?.lowercased() } }
    /// Only events that name this message.
    var message: MessageNames?
    /// Only events that name this user.
    var user: UserID?
    /// Only events for which all of these hold.
    var comparisons: [EventComparison] = []

    private var needle: String?

    func matches(_ event: RecordedEvent, _ hosts: HostEvents) -> Bool {
        if !origins.isEmpty, !origins.contains(event.event.origin) { return false }
        if let message, !message.isNamed(by: event, hosts) { return false }
        if let user, !NamedInEvent(event.event, hosts).users.contains(user) { return false }
        guard comparisons.allSatisfy({ $0.holds(for: event, hosts) }) else { return false }
        guard let needle else { return true }
        return EventColumns(event, hosts, hasContent: true).columns.contains {
            $0.text?.contains(lowercased: needle) == true
        }
    }
}

extension String {
    /// Whether the text in small letters contains another, which is in small letters already.
    fileprivate func contains(lowercased needle: String) -> Bool {
        // Of ASCII no copy is made, and characters are bytes; but a carriage return and a line feed are one character.
        let (bytes, wanted) = (utf8, needle.utf8)
        guard bytes.allSatisfy({ $0 < 0x80 && $0 != 0x0D }) else { return lowercased().contains(needle) }
        guard let first = wanted.first else { return lowercased().contains(needle) }
        func small(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
        return bytes.indices.contains { index in
            small(bytes[index]) == first && bytes[index...].lazy.map(small).starts(with: wanted)
        }
    }
}
