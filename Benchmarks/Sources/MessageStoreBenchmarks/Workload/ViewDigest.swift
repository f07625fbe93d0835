/// What a peer's views say, in a form that two independent computations can compare: sums of row hashes, in which the
/// order of rows plays no part.
struct ViewDigest: Equatable, CustomStringConvertible {
    /// Conversation id, unread count, last message and message count of each conversation.
    private(set) var conversations: UInt64 = 0
    /// Conversation, time and server id of each message.
    private(set) var messages: UInt64 = 0
    private(set) var messageCount = 0
    private(set) var unread = 0

    mutating func addConversation(_ id: String, unread: Int, last: String, count: Int) {
        var hash = StableHash()
        hash.add(id)
        hash.add(UInt64(unread))
        hash.add(last)
        hash.add(UInt64(count))
        conversations &+= hash.value
        self.unread += unread
    }

    mutating func addMessage(_ conversation: String, timeMs: Int64, id: String) {
        var hash = StableHash()
        hash.add(conversation)
        hash.add(UInt64(bitPattern: timeMs))
        hash.add(id)
        messages &+= hash.value
        messageCount += 1
    }

    var description: String {
        "\(messageCount) messages, \(unread) unread, digests \(String(conversations, radix: 16))/"
            + String(messages, radix: 16)
    }
}

/// FNV-1a over bytes, finished so that sums of hashes keep all bits apart; the same on every machine.
struct StableHash {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ text: String) {
        for byte in text.utf8 { mix(byte) }
        mix(0xFF)
    }

    mutating func add(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }

    private mutating func mix(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x0100_0000_01B3
    }

    var value: UInt64 {
        var bits = state
        bits = (bits ^ (bits >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        bits = (bits ^ (bits >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return bits ^ (bits >> 33)
    }
}
