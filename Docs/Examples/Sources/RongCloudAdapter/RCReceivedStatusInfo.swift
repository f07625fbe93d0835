import MessageStore

/// The states of a received message. They only ever become true.
struct RCReceivedStatusInfo: Sendable, Equatable {
    var isRead = false
    var isListened = false
    var isDownloaded = false
    var isRetrieved = false
}

extension RCReceivedStatusInfo {
    /// The states of a stored message. It is also read where its conversation was read up to it or beyond.
    init(_ message: Message) {
        self.init(
            isRead: message.isRead == true, isListened: message.flags.contains(.listened),
            isDownloaded: message.flags.contains(.downloaded), isRetrieved: message.flags.contains(.retrieved))
    }

    var flags: MessageFlags {
        var flags: MessageFlags = []
        if isRead { flags.insert(.read) }
        if isListened { flags.insert(.listened) }
        if isDownloaded { flags.insert(.downloaded) }
        if isRetrieved { flags.insert(.retrieved) }
        return flags
    }
}
