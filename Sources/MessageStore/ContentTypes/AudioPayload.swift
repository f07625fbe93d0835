/// An audio file or a voice message.
public struct AudioPayload: JSONPayload, Hashable {
    /// `audio`.
    public static let contentType = ContentType.audio
    /// The text that accompanies it.
    public var text: String?
    /// The file.
    public var file: MediaFile
    /// Its length in seconds.
    public var duration: Double?

    private enum CodingKeys: CodingKey { case file, duration }

    /// Creates a payload.
    public init(_ file: MediaFile, duration: Double? = nil, text: String? = nil) {
        self.text = text
        self.file = file
        self.duration = duration
    }

    /// Checks that there is a file and that no size or duration is negative.
    ///
    /// - Throws: `StoreError.Code.invalidArgument`.
    public func validate() throws {
        try file.validate()
        try MediaFile.validate(duration: duration)
    }
}
