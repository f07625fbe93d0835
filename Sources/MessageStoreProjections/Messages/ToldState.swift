@_spi(Storage) internal import MessageStoreLog

/// The effect of a message's snapshot on its state: the same as that of the single events.
struct ToldState {
    private let position: UInt64
    private let sentTime: Int64
    private let modifiedTime: Int64?
    private let mention: MessageState.Mention
    private let isRecalled: Bool
    private let reached: MessageStatus
    private let flags: MessageFlags

    init(_ event: RecordView) {
        position = event.position.rawValue
        sentTime = (event[MessageSnapshotReceived.Fields.sentTime] ?? .unknown).milliseconds
        modifiedTime = event.contentType == 0 ? nil : event[MessageSnapshotReceived.Fields.modifiedTime]?.milliseconds
        mention = event.mention
        isRecalled = event[MessageSnapshotReceived.Fields.isRecalled]
        let isRead = event[MessageSnapshotReceived.Fields.readCount] ?? 0 > 0
        let isDelivered = event[MessageSnapshotReceived.Fields.deliveredCount] ?? 0 > 0
        reached = isRead ? .read : isDelivered ? .delivered : .received
        flags = event[MessageSnapshotReceived.Fields.flags] ?? []
    }

    func apply(to state: inout MessageState) {
        if let modifiedTime {
            state.modify(by: position, at: modifiedTime)
            state.mention(mention, by: position, at: modifiedTime)
        }
        if isRecalled { state.flags.insert(.isRecalled) }
        state.status = max(state.status, reached)
        state.userFlags.formUnion(flags)
        state.learn(sentTime: sentTime)
    }
}

extension MessageState {
    /// The latest modification by its time is shown, of those of one time the later in the log.
    mutating func modify(by position: UInt64, at time: Int64) {
        guard contentPosition == 0 || time >= modifiedTime else { return }
        contentPosition = position
        modifiedTime = time
    }

    /// The mentions with the latest time apply, of those of one time the later in the log.
    mutating func mention(_ mention: Mention, by position: UInt64, at time: Int64) {
        guard mention != .untold, mentionsPosition == 0 || time >= mentionsTime else { return }
        (self.mention, mentionsPosition, mentionsTime) = (mention, position, time)
    }

    /// Takes the server's time of a message whose time is this device's; or, while the message is not known, keeps it
    /// for the acknowledgement that lacks one.
    mutating func learn(sentTime: Int64) {
        guard sentTime != 0, serverID.isEmpty || flags.contains(.isTimeProvisional) else { return }
        serverTime = sentTime
        flags.remove(.isTimeProvisional)
    }

    /// The server's time of the message of a record; nil where it is not known.
    func serverTime(of record: RecordView) -> Timestamp? {
        guard !serverID.isEmpty else { return record.serverTime }
        return flags.contains(.isTimeProvisional) ? nil : Timestamp(milliseconds: serverTime)
    }
}
