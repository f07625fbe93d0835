#if S3
/// A request before it is signed.
struct HTTPRequest: Sendable {
    let method: String
    let url: String
    var headers: [String] = []
    var body: [UInt8]?
    /// The greatest size of an answer, in bytes.
    let limit: Int
}
#endif
