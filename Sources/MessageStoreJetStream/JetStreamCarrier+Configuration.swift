#if JetStream
internal import Foundation

extension JetStreamCarrier {
    /// The servers, the place on them, and how a client reaches it.
    public struct Configuration: Sendable, Hashable, CustomStringConvertible {
        /// The servers of one system, `nats://host:port` or `tls://host:port`; they hold no user and no password.
        public var servers: [String]
        /// The name of the stream: ASCII letters, digits, `-` and `_`. It is created if it does not exist.
        ///
        /// It must take all subjects that begin with its name and a dot, keep messages in files and without an age or a
        /// number of them, and allow that they are erased.
        public var stream: String
        /// The place within the stream: ASCII letters, digits, `-` and `_`.
        public var prefix: String
        /// The identity of the client.
        public var credentials = Credentials.none
        /// The path of a file with certificates, in PEM, of the authorities that the servers' certificates are checked
        /// against; nil for the system's. A path turns TLS on.
        public var authorities: String?
        /// The address at which the server answers questions on itself, such as `http://host:8222`:
        /// ``JetStreamCarrier/durability()`` needs it. Nil if the server has no such port.
        public var monitoring: String?
        /// A call fails after so long.
        public var timeout = Duration.seconds(10)
        /// A message has at most so many bytes; longer objects are split. The server's `max_payload`, less 4,096 bytes,
        /// applies if it is smaller.
        public var objectSize = 900_000

        /// - Parameters:
        ///   - servers: See ``servers``.
        ///   - stream: See ``stream``.
        ///   - prefix: See ``prefix``.
        public init(servers: [String], stream: String, prefix: String) {
            (self.servers, self.stream, self.prefix) = (servers, stream, prefix)
        }

        /// A configuration from a URL and the variables of an environment, as a command-line tool gets them.
        ///
        /// - Parameters:
        ///   - url: `nats://host:port/STREAM/PREFIX`, or `tls://…`.
        ///   - environment: `NATS_CREDS`, a path; or `NATS_TOKEN`; or `NATS_USER` and `NATS_PASSWORD`; and also
        ///     `NATS_CA`, a path, and `NATS_MONITORING`, a URL.
        /// - Throws: `StoreError`: `invalidArgument` if the URL is not of this form.
        public init(url: String, environment: [String: String]) throws {
            let pieces = url.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            guard pieces.count == 5, pieces[1].isEmpty else {
                throw StoreError(.invalidArgument, "the URL is not nats://host:port/STREAM/PREFIX")
            }
            self.init(servers: [pieces[0] + "//" + pieces[2]], stream: pieces[3], prefix: pieces[4])
            if let path = environment["NATS_CREDS"] {
                credentials = .file(path)
            } else if let token = environment["NATS_TOKEN"] {
                credentials = .token(token)
            } else if let user = environment["NATS_USER"] {
                credentials = .user(user, password: environment["NATS_PASSWORD"] ?? "")
            }
            authorities = environment["NATS_CA"]
            monitoring = environment["NATS_MONITORING"]
            try validate()
        }

        /// The servers and the place on them.
        public var description: String { servers.joined(separator: ",") + "/\(stream)/\(prefix)" }

        func validate() throws(StoreError) {
            func require(_ condition: Bool, _ message: String) throws(StoreError) {
                if !condition { throw StoreError(.invalidArgument, message) }
            }
            try require(!servers.isEmpty, "there is no NATS server")
            for server in servers {
                let parts = URLComponents(string: server)
                try require(
                    ["nats", "tls"].contains(parts?.scheme) && parts?.host?.isEmpty == false
                        && (parts?.path ?? "").isEmpty && parts?.query == nil && parts?.fragment == nil
                        && !server.utf8.contains(0),
                    "the URL of a NATS server is not nats://host:port or tls://host:port")
                try require(
                    parts?.user == nil && parts?.password == nil && !server.contains("@"),
                    "the URL of a NATS server holds a user or a password, which belong to the credentials")
            }
            try require(Self.isToken(stream), "the name of the stream is not valid")
            try require(Self.isToken(prefix), "the prefix is not valid")
            try require(timeout > .zero && timeout < .seconds(86_400), "the timeout is not valid")
            try require(objectSize >= 4096, "objects have at least 4,096 bytes")
            try require(objectSize <= 32 << 20, "objects have at most 32 MiB")
            var texts = [authorities, monitoring]
            switch credentials {
            case .none: break
            case .user(let user, let password): texts += [user, password]
            case .token(let token): texts.append(token)
            case .file(let path): texts.append(path)
            }
            try require(!texts.contains { $0?.utf8.contains(0) == true }, "the configuration holds a NUL")
            if let monitoring {
                let parts = URLComponents(string: monitoring)
                try require(
                    ["http", "https"].contains(parts?.scheme) && parts?.host?.isEmpty == false && parts?.user == nil
                        && parts?.password == nil,
                    "the URL of the monitoring is not http://host:port")
            }
        }

        private static func isToken(_ text: String) -> Bool {
            (1...100).contains(text.utf8.count)
                && text.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        }
    }
}
#endif
