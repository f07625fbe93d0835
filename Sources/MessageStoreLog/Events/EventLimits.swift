/// The limits of recorded events.
public enum EventLimits {
    /// UTF-8 bytes of an identifier or token; keeps every key within LMDB's 511 bytes.
    public static let identifierBytes = 255
    /// UTF-8 bytes of a conversation's channel.
    public static let channelBytes = 200
    /// UTF-8 bytes of a tag, a reaction, or the key of a pair.
    public static let keyBytes = 128
    /// Bytes of one event's record: text, data, attributes and lists included.
    public static let eventBytes = 16 << 20
    /// The maximum reported size of a message's file on this device, in bytes: a tebibyte.
    public static let fileBytes: UInt64 = 1 << 40
    /// The maximum number of events recorded at once.
    public static let batchEvents = 1 << 20
}
