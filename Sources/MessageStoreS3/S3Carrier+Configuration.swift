#if S3
internal import Foundation

extension S3Carrier {
    /// The place in a service, and the keys to it.
    public struct Configuration: Sendable, CustomStringConvertible, CustomReflectable {
        /// The service's address, with `https` or `http`; nil for S3 itself in the region.
        public var endpoint: String?
        /// The region, by which requests are signed; services without any take `us-east-1` or `auto`.
        public var region: String
        /// The bucket, which exists.
        public var bucket: String
        /// The beginning of all keys, such as `accounts/42/`: any text of at most 800 bytes in UTF-8 without a NUL.
        ///
        /// No other carrier's prefix may be the beginning of it, other than by intent; one that ends with `/` is safe.
        public var prefix: String
        /// The identifier of the secret key.
        public var accessKey: String
        /// The secret key; nothing shows it.
        public var secretKey: String
        /// The token of temporary keys; nothing shows it.
        public var sessionToken: String?
        /// Whether the bucket is the first part of the path, as most services want; otherwise it is part of the host's
        /// name.
        public var usesPathStyle = true
        /// How long a connection may take to be made.
        public var connectTimeout: Duration = .seconds(10)
        /// How long no byte may arrive or leave before a request fails; in whole seconds, rounded up.
        public var stallTimeout: Duration = .seconds(30)
        /// How long a request may take.
        public var requestTimeout: Duration = .seconds(300)
        /// How many requests are sent at a time, each on a connection of its own.
        public var connections = 4
        /// Objects of at most so many bytes are put.
        public var objectSize = 8 << 20
        /// The file with certificates of authorities to trust, in PEM; nil for the system's.
        public var caFile: String?

        /// - Parameters:
        ///   - endpoint: The service's address; nil for S3 itself in the region.
        ///   - region: The region, by which requests are signed.
        ///   - bucket: The bucket, which exists.
        ///   - prefix: The beginning of all keys, such as `accounts/42/`.
        ///   - accessKey: The identifier of the secret key.
        ///   - secretKey: The secret key.
        ///   - sessionToken: The token of temporary keys.
        public init(
            endpoint: String? = nil, region: String = "us-east-1", bucket: String, prefix: String = "",
            accessKey: String, secretKey: String, sessionToken: String? = nil
        ) {
            self.endpoint = endpoint
            self.region = region
            self.bucket = bucket
            self.prefix = prefix
            self.accessKey = accessKey
            self.secretKey = secretKey
            self.sessionToken = sessionToken
        }

        /// The bucket and the prefix as an address; it holds no secret.
        public var description: String { "s3://\(bucket)/\(prefix)" }

        /// The description alone, so that dumps show no secret.
        public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
    }
}

extension S3Carrier.Configuration {
    /// Checks every part; answers with the address of the bucket and a slash.
    func checkedAddress() throws -> String {
        try Self.check(
            region.isMade(of: "-") && region.utf8.count <= 64,
            "the region has other characters than letters, digits and -")
        try Self.check(
            bucket.isMade(of: "-._") && bucket.utf8.count <= 255 && bucket != "." && bucket != "..",
            "the bucket's name has other characters than letters, digits, ., - and _")
        try Self.check(
            prefix.utf8.count <= 800 && !prefix.utf8.contains(0), "the prefix is longer than 800 bytes or holds a NUL")
        try Self.check(accessKey.isPrintable, "the access key is empty or not in ASCII")
        try Self.check(secretKey.isPrintable, "the secret key is empty or not in ASCII")
        try Self.check(sessionToken?.isPrintable ?? true, "the session token is empty or not in ASCII")
        let timeouts = [connectTimeout, stallTimeout, requestTimeout]
        try Self.check(
            timeouts.allSatisfy { (.milliseconds(1) ... .seconds(86_400)).contains($0) },
            "a timeout is less than a millisecond or more than a day")
        try Self.check((1...64).contains(connections), "connections are 1 to 64")
        try Self.check((4096...64 << 20).contains(objectSize), "objects have 4,096 bytes to 64 MiB")
        try Self.check(
            caFile.map { !$0.isEmpty && !$0.utf8.contains(0) } ?? true, "the name of the authorities' file is not valid"
        )
        return try bucketAddress()
    }

    private func bucketAddress() throws -> String {
        let endpoint = endpoint ?? "https://s3.\(region).amazonaws.com"
        guard let parts = URLComponents(string: endpoint), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.encodedHost, !host.isEmpty, parts.user == nil,
            parts.password == nil, parts.query == nil, parts.fragment == nil
        else {
            throw StoreError(.invalidArgument, "the endpoint is no address with http or https and a host alone")
        }
        let authority = (usesPathStyle ? host : bucket + "." + host) + (parts.port.map { ":\($0)" } ?? "")
        let path = parts.percentEncodedPath.split(separator: "/").map { "/" + $0 }.joined()
        return "\(scheme)://\(authority)\(path)/" + (usesPathStyle ? bucket + "/" : "")
    }

    private static func check(_ isValid: Bool, _ problem: String) throws {
        guard isValid else { throw StoreError(.invalidArgument, problem) }
    }
}

extension String {
    fileprivate func isMade(of others: String) -> Bool {
        !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || others.contains($0) }
    }

    fileprivate var isPrintable: Bool { !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}

extension Duration {
    /// Whole milliseconds of a checked timeout.
    var milliseconds: Int { Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000) }
}

extension S3Carrier {
    /// A carrier from an address and variables that other tools for S3 use as well.
    ///
    /// The address is `s3://bucket/prefix?endpoint=http://127.0.0.1:9000&region=us-east-1&addressing=path`, all but the
    /// bucket optional; `addressing` is `path` or `host`. A prefix gets a `/` at its end. The variables are
    /// `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, and optionally `AWS_SESSION_TOKEN`, `AWS_REGION`,
    /// `AWS_ENDPOINT_URL` and `AWS_CA_BUNDLE`; the address has priority.
    ///
    /// - Parameters:
    ///   - url: The address; it holds no secret.
    ///   - environment: The variables.
    /// - Throws: As ``init(_:)``; `invalidArgument` even if the address has another form, or a variable is missing.
    public convenience init(url: String, environment: [String: String]) throws {
        guard let parts = URLComponents(string: url), parts.scheme == "s3", let bucket = parts.encodedHost,
            parts.user == nil, parts.password == nil, parts.port == nil, parts.fragment == nil
        else { throw StoreError(.invalidArgument, "the address is not of the form s3://bucket/prefix") }
        let variables = environment.filter { !$0.value.isEmpty }
        guard let accessKey = variables["AWS_ACCESS_KEY_ID"], let secretKey = variables["AWS_SECRET_ACCESS_KEY"] else {
            throw StoreError(.invalidArgument, "AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set")
        }
        let path = parts.path.drop { $0 == "/" }
        var configuration = Configuration(
            endpoint: variables["AWS_ENDPOINT_URL"], bucket: bucket,
            prefix: path.isEmpty || path.hasSuffix("/") ? String(path) : path + "/",
            accessKey: accessKey, secretKey: secretKey, sessionToken: variables["AWS_SESSION_TOKEN"])
        configuration.region = variables["AWS_REGION"] ?? configuration.region
        configuration.caFile = variables["AWS_CA_BUNDLE"]
        for item in parts.queryItems ?? [] {
            switch (item.name, item.value) {
            case ("endpoint", let value?): configuration.endpoint = value
            case ("region", let value?): configuration.region = value
            case ("addressing", "path"): configuration.usesPathStyle = true
            case ("addressing", "host"): configuration.usesPathStyle = false
            default: throw StoreError(.invalidArgument, "the address has a parameter that is not known or has no value")
            }
        }
        try self.init(configuration)
    }
}

extension String {
    /// The text in an address, as AWS signs it: letters, digits and `-._~` as they are, and every other byte as `%` and
    /// two hexadecimal digits.
    func percentEncoded(keeping kept: String = "") -> String {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        let allowed = CharacterSet(charactersIn: letters + "0123456789-._~" + kept)
        return addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    /// The key that a list has in this form, in which `+` is a space; nil if it is not in it.
    var percentDecodedKey: String? { replacing("+", with: " ").removingPercentEncoding }
}
#endif
