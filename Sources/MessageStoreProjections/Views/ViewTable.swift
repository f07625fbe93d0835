@_spi(Storage) internal import MessageStoreLog

/// A table of the views, owned by one projection: its place among the tables of the catalogue.
///
/// The library's tables have fixed places, those of hosts follow.
package struct ViewTable: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    @inline(__always) package init(rawValue: UInt8) { self.rawValue = rawValue }

    @inline(__always) var index: Int { Int(rawValue) }

    /// The table's bit in a set of tables.
    @inline(__always) var bit: UInt64 { 1 << UInt64(rawValue) }

    /// The most tables that the views of one store can have.
    static let maximumCount = 64
}

extension ViewTable {
    /// The tables of the library's projections.
    package static let builtIn: [ViewTable] = names.indices.map { ViewTable(rawValue: UInt8($0)) }

    private static let names = [
        "identities", "messageStates", "parkedStates", "outbox", "receiptMarks",
        "timeline", "timelineFloors", "timelineRanges", "timelineHeads",
        "conversations", "conversationInfo", "conversationOrder",
        "unread", "unreadTotals",
        "members", "memberLists",
        "conversationIndex",
        "chatRooms", "chatRoomEntries",
        "profiles",
        "teams",
        "syncState", "syncCursors",
        "unknownEvents",
        "messageDetails", "owedReceipts", "parkedReceipts",
        "pendingChanges",
        "timelineMarks",
        "deletedMessages",
        "settingTimes",
        "contacts",
        "messageMarks", "markedMessages",
        "timelineEvents",
        "replies", "threads",
        "messageEdits",
        "localFiles", "localFileOrder",
        "deviceLines",
    ]

    /// The name of a table of the library in the views' environment; of a host's, its place.
    package var name: String { index < Self.names.count ? Self.names[index] : "number \(rawValue)" }
}

extension ViewTable {
    /// Whether to change the row of a key alone is to have no effect: no query shows it, or it says no more than that the event
    /// is in the log.
    func isUnseen(at key: RawSpan) -> Bool {
        switch self {
        case .identities, .timelineEvents: return true
        case .settingTimes:
            let folders = Setting.folders
            return key.removing(folders) == nil
        default: return false
        }
    }

    /// The tables that tell which events are known: by them it is decided what is recorded.
    static var ofKnownEvents: [ViewTable] { [.identities, .messageStates] }

    @inline(__always) package static var identities: ViewTable { ViewTable(rawValue: 0) }
    @inline(__always) package static var messageStates: ViewTable { ViewTable(rawValue: 1) }
    @inline(__always) package static var parkedStates: ViewTable { ViewTable(rawValue: 2) }
    @inline(__always) package static var outbox: ViewTable { ViewTable(rawValue: 3) }
    @inline(__always) package static var receiptMarks: ViewTable { ViewTable(rawValue: 4) }
    @inline(__always) package static var timeline: ViewTable { ViewTable(rawValue: 5) }
    @inline(__always) package static var timelineFloors: ViewTable { ViewTable(rawValue: 6) }
    @inline(__always) package static var timelineRanges: ViewTable { ViewTable(rawValue: 7) }
    @inline(__always) package static var timelineHeads: ViewTable { ViewTable(rawValue: 8) }
    @inline(__always) package static var conversations: ViewTable { ViewTable(rawValue: 9) }
    @inline(__always) package static var conversationInfo: ViewTable { ViewTable(rawValue: 10) }
    @inline(__always) package static var conversationOrder: ViewTable { ViewTable(rawValue: 11) }
    @inline(__always) package static var unread: ViewTable { ViewTable(rawValue: 12) }
    @inline(__always) package static var unreadTotals: ViewTable { ViewTable(rawValue: 13) }
    @inline(__always) package static var members: ViewTable { ViewTable(rawValue: 14) }
    @inline(__always) package static var memberLists: ViewTable { ViewTable(rawValue: 15) }
    @inline(__always) package static var conversationIndex: ViewTable { ViewTable(rawValue: 16) }
    @inline(__always) package static var chatRooms: ViewTable { ViewTable(rawValue: 17) }
    @inline(__always) package static var chatRoomEntries: ViewTable { ViewTable(rawValue: 18) }
    @inline(__always) package static var profiles: ViewTable { ViewTable(rawValue: 19) }
    @inline(__always) package static var teams: ViewTable { ViewTable(rawValue: 20) }
    @inline(__always) package static var syncState: ViewTable { ViewTable(rawValue: 21) }
    @inline(__always) package static var syncCursors: ViewTable { ViewTable(rawValue: 22) }
    @inline(__always) package static var unknownEvents: ViewTable { ViewTable(rawValue: 23) }
    @inline(__always) package static var messageDetails: ViewTable { ViewTable(rawValue: 24) }
    @inline(__always) package static var owedReceipts: ViewTable { ViewTable(rawValue: 25) }
    @inline(__always) package static var parkedReceipts: ViewTable { ViewTable(rawValue: 26) }
    @inline(__always) package static var pendingChanges: ViewTable { ViewTable(rawValue: 27) }
    @inline(__always) package static var timelineMarks: ViewTable { ViewTable(rawValue: 28) }
    @inline(__always) package static var deletedMessages: ViewTable { ViewTable(rawValue: 29) }
    @inline(__always) package static var settingTimes: ViewTable { ViewTable(rawValue: 30) }
    @inline(__always) package static var contacts: ViewTable { ViewTable(rawValue: 31) }
    @inline(__always) package static var messageMarks: ViewTable { ViewTable(rawValue: 32) }
    @inline(__always) package static var markedMessages: ViewTable { ViewTable(rawValue: 33) }
    @inline(__always) package static var timelineEvents: ViewTable { ViewTable(rawValue: 34) }
    @inline(__always) package static var replies: ViewTable { ViewTable(rawValue: 35) }
    @inline(__always) package static var threads: ViewTable { ViewTable(rawValue: 36) }
    @inline(__always) package static var messageEdits: ViewTable { ViewTable(rawValue: 37) }
    @inline(__always) package static var localFiles: ViewTable { ViewTable(rawValue: 38) }
    @inline(__always) package static var localFileOrder: ViewTable { ViewTable(rawValue: 39) }
    @inline(__always) package static var deviceLines: ViewTable { ViewTable(rawValue: 40) }
}
