#if S3
internal import Foundation

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
    /// - Throws: As ``init(_:)``; `invalidArgument` also where the address has another form, or a variable is missing.
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
#endif
