import MessageStore

/// A plug-in as the store sees it: it gets each stored message in order, also those that came while it was not there.
struct PluginSubscriber: EventSubscriber {
    let plugin: any SPPlugin
    let types: ContentTypeRegistry

    var name: String { plugin.name }
    var filter: EventFilter { EventFilter(types: [.messageReceived]) }

    /// The message is made of the event: by now it may be deleted.
    func handle(_ event: RecordedEvent) async throws -> SubscriberAnswer {
        var message = SPMessage(event.event, types: types)
        message.messageId = event.position.rawValue
        return plugin.onReceivedMessage(message) ? .handled : .ignored
    }
}
