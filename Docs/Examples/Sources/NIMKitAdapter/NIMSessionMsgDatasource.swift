import MessageStore

/// The rows of a session: messages, and times between them.
final class NIMSessionMsgDatasource {
    private let kit: NIMKit
    private let session: NIMSession
    private let config: any NIMSessionConfig
    private(set) var messages: [Message] = []
    private(set) var hasOlder = false

    init(_ kit: NIMKit, _ session: NIMSession, _ config: any NIMSessionConfig) {
        (self.kit, self.session, self.config) = (kit, session, config)
    }

    /// The session was opened: its newest messages, read now.
    func open() async throws {
        let (key, limit) = (session.key, config.messageLimit)
        let page =
            config.autoFetchWhenOpenSession
            ? try await kit.store.history(of: key, limit: limit)
            : try await kit.store.read { try $0.timeline(of: key, limit: limit) }
        show(page, before: [])
        try await kit.store.record(.read(in: key))
        if config.shouldHandleReceipt { try await sendReceipts() }
    }

    /// The user pulled the list down: what is before the first message whose place the server knows. Others before it, as
    /// where nothing but unsent ones are shown, are read again.
    func loadOlder() async throws {
        guard !messages.isEmpty else { return }
        let index = messages.firstIndex { $0.serverID != nil && $0.order != nil } ?? messages.count
        let shown = Array(messages[index...])
        let part = shown.first.map { TimelinePart.before(.message(.local($0.id))) } ?? .latest
        let page = try await kit.store.history(of: session.key, part, limit: min(config.messageLimit + index, 1_000))
        show(page, before: shown)
    }

    private func show(_ page: TimelinePage, before shown: [Message]) {
        messages = page.elements + shown
        hasOlder = page.hasOlder || page.hasGapBefore
    }

    private func sendReceipts() async throws {
        let key = session.key
        let owed = try await kit.store.read { try $0.owedReceipts(in: key).elements.compactMap(\.serverID) }
        guard !owed.isEmpty else { return }
        for id in owed { kit.server.receipt(for: id.rawValue) }
        try await kit.store.record(Event(ReadReceiptSent(owed.map { .server($0) }), in: key))
    }

    /// A line for each row: a time, or the sender's name and the view of the message.
    func rows() throws -> [String] {
        let page = TimelinePage(messages)
        return try page.entries(timeRowsEvery: config.showTimestampInterval).map { entry in
            switch entry {
            case .time: "--"
            case .message(let message):
                "\(try kit.provider.infoByUser(message.sender.rawValue, withMessage: message).showName): "
                    + (config.cellContent(message) ?? NIMCellLayoutDefaultConfig.cellContent(message, kit.store))
            // A team's notices are messages here.
            case .event(let event): event.event.type.description
            }
        }
    }
}
