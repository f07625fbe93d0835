@_spi(Storage) internal import MessageStoreLog

/// All projections together: a pure function from records to rows (I3, I12).
///
/// The result does not depend on where batches end: what a projection keeps decoded within a batch is a cache of rows.
struct Fold: ~Copyable {
    private var messages = Messages()
    private var timeline = Timeline()
    private var conversationList = ConversationList()
    private var unreadCounters = UnreadCounters()
    private var members = Members()
    private var chatRooms = ChatRooms()
    private var profiles = Profiles()
    private var teams = Teams()
    private var syncState = SyncState()
    private var unknownEvents = UnknownEvents()
    private var messageDetails = MessageDetails()
    private var owedReceipts = OwedReceipts()
    private var pendingChanges = PendingChanges()
    private var timelineMarks = TimelineMarks()
    private var changes = TimelineChanges()

    mutating func apply(_ record: RecordView, _ views: inout Views) throws {
        changes.removeAll()
        try messages.apply(record, &views, &changes)
        switch record.scope {
        case .conversation, .chatRoom:
            try timeline.arrive(record, &views)
            timeline.apply(changes, &views)
            try timelineMarks.apply(changes, &views)
            try owedReceipts.apply(changes, record, &views)
            try conversationList.apply(changes, views)
            try unreadCounters.apply(changes, views)
            // A message is told of by its changes alone.
            if !record.type.isMessage { try applyFacts(record, &views) }
        case .account:
            try profiles.apply(record, &views)
            try teams.apply(record, &views)
            try syncState.apply(record, &views)
            timeline.session = nil
        case .any, nil: try unknownEvents.apply(record, &views)
        }
        views.active.position = record.position
    }

    /// What is not a message: facts of one or of its conversation.
    private mutating func applyFacts(_ record: RecordView, _ views: inout Views) throws {
        try messageDetails.apply(record, &views)
        try pendingChanges.apply(changes, record, &views)
        try timeline.apply(record, &views)
        try conversationList.apply(record, &views)
        try unreadCounters.apply(record, views)
        try members.apply(record, &views)
        try chatRooms.apply(record, &views)
    }

    /// Writes what the projections kept decoded; only then are the views those of the position.
    mutating func finishBatch(_ views: inout Views) throws {
        try conversationList.finishBatch(&views)
        try unreadCounters.finishBatch(&views)
        timeline.finishBatch()
        owedReceipts.finishBatch()
    }
}
