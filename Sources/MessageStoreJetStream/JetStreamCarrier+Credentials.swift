#if JetStream
extension JetStreamCarrier {
    /// How a client proves to the server who it is; no description or reflection of it shows a secret.
    public enum Credentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
        CustomReflectable
    {
        /// The server asks for nothing.
        case none
        /// The name of a user and its password.
        case user(String, password: String)
        /// A token.
        case token(String)
        /// The path of a file with a user's JWT and key, as `nsc` writes it.
        case file(String)

        /// The kind alone.
        public var description: String {
            switch self {
            case .none: "none"
            case .user: "user"
            case .token: "token"
            case .file: "file"
            }
        }

        /// The kind alone.
        public var debugDescription: String { description }

        /// No children, so that reflection finds no secret.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
#endif
