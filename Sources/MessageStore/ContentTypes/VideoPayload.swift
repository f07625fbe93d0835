/// A video.
public struct VideoPayload: JSONPayload, Hashable {
    /// `video`.
    public static let contentType = ContentType.video
    /// The text that accompanies it.
    public var text: String?
    /// The file.
    public var file: MediaFile
    /// A picture to show before it is played, if there is one.
    public var thumbnail: MediaFile?
    /// Its length in seconds.
    public var duration: Double?

    private enum CodingKeys: CodingKey { case file, thumbnail, duration }

    /// Creates a payload.
    public init(_ file: MediaFile, thumbnail: MediaFile? = nil, duration: Double? = nil, text: String? = nil) {
        self.text = text
        self.file = file
        self.thumbnail = thumbnail
        self.duration = duration
    }

    /// Checks that there is a file, that a thumbnail has one as well, and that no size or duration is negative.
    ///
    /// - Throws: `StoreError.Code.invalidArgument`.
    public func validate() throws {
        try file.validate()
        try thumbnail?.validate()
        try MediaFile.validate(duration: duration)
    }
}
