import Foundation
import MessageStore

@testable import MessageStoreTool

/// A store of `@me:here`, and the import of sync responses into it.
final class MatrixPlace {
    let logs: LogFixture
    let store: MessageStore
    let room = ConversationKey.group("!r:here")

    /// What the import said of lines and files.
    private(set) var reports: [String] = []

    init(account: UserID = "@me:here") throws {
        logs = try LogFixture()
        var configuration = MessageStore.Configuration.ofTests
        configuration.sync.countsHistoryAsUnread = true
        store = try MessageStore.open(
            logs.directory.path + "/store", account: account, configuration: configuration)
    }

    deinit {
        try? store.close()
    }

    /// Imports responses, each a line, as a run of its own.
    @discardableResult
    func importing(_ responses: String...) throws -> ImportSummary {
        let path = try logs.file(responses.map { $0 + "\n" }.joined().utf8)
        return try importing(files: [path])
    }

    @discardableResult
    func importing(files: [String]) throws -> ImportSummary {
        var importer = try MatrixImporter(
            store: store, skipsBadLines: false,
            observer: ImportObserver(progress: { _ in }, report: { self.reports.append("\($0)") }),
            readers: try files.map { try MatrixSyncReader(matrixSync: $0) })
        try importer.importFiles()
        return importer.tally.summary
    }

    /// What the log tells, of some types only.
    func bodies(_ types: EventType...) throws -> [AnyHashable] {
        let filter = types.isEmpty ? EventFilter.all : EventFilter(types: Set(types))
        return try store.events(where: filter).map { AnyHashable($0.event.payload) }
    }

    func message(_ id: String) throws -> Message? {
        try store.read { try $0.message(.server(ServerMessageID(id)), in: room) }
    }

    func conversation(_ key: ConversationKey? = nil) throws -> Conversation? {
        try store.read { try $0.conversation(key ?? room) }
    }

    func members() throws -> [Member] {
        try store.read { try $0.members(in: room).elements }
    }
}

/// A sync response; rooms are what `room` and `invitation` make.
func response(
    _ batch: String = "b1", join: String = "", invite: String = "", leave: String = "", accountData: [String] = [],
    extra: String = ""
) -> String {
    """
    {"next_batch":"\(batch)","account_data":{"events":[\(accountData.joined(separator: ","))]},\
    "rooms":{"join":{\(join)},"invite":{\(invite)},"leave":{\(leave)}}\(extra)}
    """
}

func room(
    _ id: String = "!r:here", state: [String] = [], timeline: [String] = [], limited: Bool = false,
    accountData: [String] = [], ephemeral: [String] = [], unread: (count: Int, highlights: Int)? = nil
) -> String {
    let unread = unread.map {
        #","unread_notifications":{"notification_count":\#($0.count),"highlight_count":\#($0.highlights)}"#
    }
    return """
        "\(id)":{"state":{"events":[\(state.joined(separator: ","))]},\
        "timeline":{"limited":\(limited),"events":[\(timeline.joined(separator: ","))]},\
        "account_data":{"events":[\(accountData.joined(separator: ","))]},\
        "ephemeral":{"events":[\(ephemeral.joined(separator: ","))]}\(unread ?? "")}
        """
}

func invitation(_ id: String, _ state: String...) -> String {
    #""\#(id)":{"invite_state":{"events":[\#(state.joined(separator: ","))]}}"#
}

func event(
    _ type: String, _ id: String, _ content: String, by sender: String = "@ann:here", at time: Int = 1000,
    stateKey: String? = nil, extra: String = ""
) -> String {
    let stateKey = stateKey.map { #","state_key":"\#($0)""# } ?? ""
    return """
        {"type":"\(type)","event_id":"\(id)","sender":"\(sender)","origin_server_ts":\(time),\
        "content":\(content)\(stateKey)\(extra)}
        """
}

func text(
    _ id: String, _ body: String = "words", by sender: String = "@ann:here", at time: Int = 1000,
    content: String = "", extra: String = ""
) -> String {
    event(
        "m.room.message", id, #"{"msgtype":"m.text","body":"\#(body)"\#(content)}"#, by: sender, at: time,
        extra: extra)
}

func member(
    _ id: String, _ user: String, _ membership: String, by sender: String? = nil, content: String = "",
    extra: String = ""
) -> String {
    event(
        "m.room.member", id, #"{"membership":"\#(membership)"\#(content)}"#, by: sender ?? user, stateKey: user,
        extra: extra)
}

func receipt(_ event: String, _ user: String, kind: String = "m.read", receipt: String = #"{"ts":5000}"#) -> String {
    #"{"type":"m.receipt","content":{"\#(event)":{"\#(kind)":{"\#(user)":\#(receipt)}}}}"#
}
