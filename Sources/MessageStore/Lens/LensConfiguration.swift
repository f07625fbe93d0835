/// The small file that a store writes for processes that show notifications; see `Lens`.
public struct LensConfiguration: Sendable {
    /// The file; its directory must exist. Each account needs a file of its own.
    public var path: String
    /// How many conversations it has, from the top of the list: 1 to 1000. Default: 200.
    public var conversations = 200
    /// How many of the messages recorded last it recognises, among the last 8,192 events. Default: 1,000.
    public var messages = 1000
    /// What the host adds; runs like the body of a `read`, and its errors are logged. A lens that becomes too large is
    /// not written.
    public var values: (@Sendable (borrowing Views) throws -> [String: String])?

    /// The defaults.
    public init(path: String) { self.path = path }
}
