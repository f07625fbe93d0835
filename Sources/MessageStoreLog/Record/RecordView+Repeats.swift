extension RecordView {
    /// Equal for messages that may repeat each other: conversation, sender, type and content (d12).
    package var repeatKey: UInt64 {
        let seed = UInt64(conversation) << 32 | UInt64(actor)
        return XXH64.hash(content, seed: seed &+ UInt64(contentType) &* 0x9E37_79B1_85EB_CA87)
    }

    /// Whether this received message says the same as an earlier one, by the same sender, within a time.
    ///
    /// Messages with tokens of their own are different messages, whatever they say (D20), and so are those whose words
    /// are gone.
    package func repeats(_ other: RecordView, within window: Int64) -> Bool {
        guard other.type == .messageReceived, conversation == other.conversation, actor == other.actor,
            contentType == other.contentType, !flags.union(other.flags).contains(.isRedacted),
            clientToken.byteCount == 0 || other.clientToken.byteCount == 0,
            let time = serverTime, let otherTime = other.serverTime,
            abs(time.milliseconds - otherTime.milliseconds) <= window
        else { return false }
        return content.isEqual(to: other.content) && position != other.position
    }
}
