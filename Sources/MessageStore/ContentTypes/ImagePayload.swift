/// A picture.
public struct ImagePayload: JSONPayload, Hashable {
    /// `image`.
    public static let contentType = ContentType.image
    /// The text that accompanies it.
    public var text: String?
    /// The picture's file.
    public var file: MediaFile
    /// A smaller picture to show in a timeline, if there is one.
    public var thumbnail: MediaFile?
    /// The width in pixels.
    public var width: Int?
    /// The height in pixels.
    public var height: Int?

    private enum CodingKeys: CodingKey { case file, thumbnail, width, height }

    /// Creates a payload.
    public init(
        _ file: MediaFile, thumbnail: MediaFile? = nil, width: Int? = nil, height: Int? = nil, text: String? = nil
    ) {
        self.text = text
        self.file = file
        self.thumbnail = thumbnail
        self.width = width
        self.height = height
    }

    /// Checks that there is a file, that a thumbnail has one as well, and that no size is negative.
    ///
    /// - Throws: `StoreError.Code.invalidArgument`.
    public func validate() throws {
        try file.validate()
        try thumbnail?.validate()
        guard width ?? 0 >= 0, height ?? 0 >= 0 else {
            throw StoreError(.invalidArgument, "a picture's width or height is negative")
        }
    }
}
