internal import MessageStore
internal import MessageStoreWorkload

extension RandomEvents {
    /// A file that is there, or not; of few sizes.
    mutating func attachment(in key: ConversationKey) -> Event {
        let state = AttachmentState(rawValue: UInt8(random.nextIndex(6)))
        let byteCount = random.chance(0.7) ? UInt64(random.nextIndex(5)) : nil
        let path = random.chance(0.9) ? "p\(random.nextIndex(9))" : nil
        let (message, key) = likelyMessage(in: key)
        let index: UInt8 = random.chance(0.7) ? 0 : UInt8(random.nextIndex(3))
        return Event(
            AttachmentStateChanged(message, state: state, localPath: path, byteCount: byteCount, index: index), in: key)
    }

    /// What a host or another device says about messages, and what a server says about what it holds.
    mutating func verdict(in key: ConversationKey) -> Event {
        switch random.nextIndex(12) {
        case 0:
            let line = MessageInsertedLocally(
                content: content(), sender: random.chance(0.5) ? "u1" : nil, time: time(),
                updatesLastMessage: random.chance(0.7))
            return Event(line, in: key)
        case 1:
            let statuses: [MessageStatus] = [.sending, .failed, .sent, .delivered, .read]
            let status = statuses[random.nextIndex(statuses.count)]
            return Event(MessageStatusOverridden(reference(in: key), status: status), in: key)
        case 2, 3:
            let flags = MessageFlags(rawValue: UInt8(1 + random.nextIndex(15)))
            return Event(
                MessageStatusFlagsSet([reference(in: key), reference(in: key)], flags: flags),
                in: key, origin: .otherDevice)
        case 4: return attachment(in: key)
        case 5, 6:
            return Event(MessageFiltered(reference(in: key), verdict: filterVerdict()), in: key)
        case 7, 8: return duplicate(in: key)
        case 9:
            let before = random.chance(0.6) ? order() : nil
            return Event(HistoryGapFound(before: before), in: key)
        default:
            let count = UInt32(random.chance(0.2) ? 0 : random.nextIndex(50))
            let mentions = UInt32(random.nextIndex(Int(count) + 1))
            let report = UnreadCountReported(
                count, mentions: mentions, upTo: order(), at: random.chance(0.7) ? time() : nil)
            return Event(report, in: key)
        }
    }

    private mutating func filterVerdict() -> FilterVerdict {
        switch random.nextIndex(3) {
        case 0: .keep
        case 1: .hide
        default: .replace(content())
        }
    }

    /// A verdict about a message that was told of lately, or one that takes such a verdict back.
    private mutating func duplicate(in key: ConversationKey) -> Event {
        let known = received.filter { $0.conversation == key }
        guard !known.isEmpty, let message = known[random.nextIndex(known.count)].payload as? MessageReceived else {
            return receive(in: key)
        }
        // Which message is first is not known here; only the store's own verdicts name one.
        return Event(
            MessageDuplicateSuppressed(serverID: message.serverID, duplicateOf: nil, rule: .content), in: key)
    }
}
