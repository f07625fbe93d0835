/// Why a call had no effect.
enum SPIMError: Error {
    /// Nobody is connected, or the message has no content.
    case invalidCall
    /// There is no such message.
    case unknownMessage
}
