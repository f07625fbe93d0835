/// A file.
public struct FilePayload: JSONPayload, Hashable {
    /// `file`.
    public static let contentType = ContentType.file
    /// The text that accompanies it.
    public var text: String?
    /// The file.
    public var file: MediaFile

    private enum CodingKeys: CodingKey { case file }

    /// Creates a payload.
    public init(_ file: MediaFile, text: String? = nil) {
        self.text = text
        self.file = file
    }

    /// Checks that there is a file and that its size is not negative.
    ///
    /// - Throws: `StoreError.Code.invalidArgument`.
    public func validate() throws { try file.validate() }
}
