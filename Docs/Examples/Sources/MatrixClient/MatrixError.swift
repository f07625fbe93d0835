/// Why a call to a Matrix server did not succeed; no case holds the text of a message.
public enum MatrixError: Error, Hashable {
    /// The address is no `http` or `https` URL.
    case invalidAddress
    /// No answer came.
    case unreachable
    /// The server cannot do it now; it may say after how many milliseconds to try again.
    case busy(retryAfterMs: Int64?)
    /// The server refuses it; of its code the first 64 bytes are kept.
    case refused(status: Int, code: String)
    /// The answer is no JSON object, or this field of it is missing or of the wrong type.
    case invalidAnswer(field: String)
    /// Nobody is signed in, or the server ended the session.
    case signedOut

    /// Whether the same call may succeed later.
    public var isTemporary: Bool {
        switch self {
        case .unreachable, .busy, .invalidAnswer: true
        case .invalidAddress, .refused, .signedOut: false
        }
    }
}

extension MatrixError: CustomStringConvertible {
    /// The error as it is shown to people.
    public var description: String {
        switch self {
        case .invalidAddress: "the address is no http or https URL"
        case .unreachable: "the server does not answer"
        case .busy: "the server is busy"
        case .refused(let status, let code): "the server refuses it: \(status) \(code)"
        case .invalidAnswer(let field): "the server's answer has no valid \(field)"
        case .signedOut: "nobody is signed in: give --server and --user"
        }
    }
}
