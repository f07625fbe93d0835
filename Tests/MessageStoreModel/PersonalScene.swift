package import MessageStore

/// The places of a store whose process is killed, and of all files that it makes for others.
package struct PersonalScene: Sendable {
    package let directory: String

    package init(_ directory: String) { self.directory = directory }

    package var store: String { directory + "/store" }
    package var inbox: String { directory + "/inbox" }
    /// An inbox that no store empties.
    package var waiting: String { directory + "/waiting" }
    package var lens: String { directory + "/lens" }
    package var place: String { directory + "/place" }
    package var backups: String { directory + "/backups" }
    package var segments: String { directory + "/segments" }
    /// The directory for temporary files.
    package var temporary: String { directory + "/tmp" }

    package static let account = UserID("account-\(PersonalEvents.word)")

    /// The host's key, which has to be in no file either.
    package static let key = Array("the host's key of a killed store".utf8)

    /// Acknowledged numbers from here on are of messages that were handed over through the inbox.
    package static let handedOver: UInt64 = 1 << 40
    /// Acknowledged when each piece of work was done once.
    package static let everythingDone: UInt64 = 1 << 41

    /// The id of a message that is handed over.
    package static func handedOverID(_ number: UInt64) -> ServerMessageID { ServerMessageID("in-\(number)") }

    /// The number of a message that was handed over; nil for others.
    package static func handedOverNumber(of event: Event) -> UInt64? {
        guard let id = (event.payload as? MessageReceived)?.serverID.rawValue, id.hasPrefix("in-") else { return nil }
        return UInt64(id.dropFirst(3))
    }

    /// Small buffers, so that much is written all the time.
    package func configuration(_ key: KeySource?) -> MessageStore.Configuration {
        var configuration = MessageStore.Configuration()
        configuration.automaticCompaction = nil
        configuration.bufferBytes = 16 << 10
        configuration.replayBytes = 64 << 10
        configuration.mapBytes = 1 << 20
        configuration.privacy.key = key
        configuration.processes.inboxPath = inbox
        configuration.processes.lens = LensConfiguration(path: lens)
        return configuration
    }
}
