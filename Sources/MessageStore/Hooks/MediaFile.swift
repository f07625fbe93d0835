/// The file of a message: on a server, on this device, or both.
public struct MediaFile: Codable, Hashable, Sendable {
    /// The URL from which it can be fetched.
    public var url: String?
    /// Its path on this device.
    public var path: String?
    /// The name of the file.
    public var name: String?
    /// Its size in bytes.
    public var byteCount: Int64?
    /// Its format as the server names it, such as "jpg" or a media type.
    public var format: String?

    /// Creates a file; it needs a URL or a path.
    public init(
        url: String? = nil, path: String? = nil, name: String? = nil, byteCount: Int64? = nil, format: String? = nil
    ) {
        self.url = url
        self.path = path
        self.name = name
        self.byteCount = byteCount
        self.format = format
    }

    func validate() throws {
        guard url?.isEmpty == false || path?.isEmpty == false else {
            throw StoreError(.invalidArgument, "a file needs a URL or a path")
        }
        guard byteCount.map({ $0 >= 0 }) ?? true else {
            throw StoreError(.invalidArgument, "a file's size is negative")
        }
    }

    static func validate(duration: Double?) throws {
        guard duration.map({ $0 >= 0 && $0.isFinite }) ?? true else {
            throw StoreError(.invalidArgument, "a duration is negative or not finite")
        }
    }
}

extension KeyedDecodingContainer {
    /// An optional file, such as a thumbnail: one of another form, as some services have it, is left out, so that the
    /// payload can still be read. The compiler chooses this one where it writes the decoding of a payload.
    func decodeIfPresent(_ type: MediaFile.Type, forKey key: Key) throws -> MediaFile? {
        contains(key) ? try? decode(type, forKey: key) : nil
    }
}

/// Plain text.
///
/// Content without a text is decoded as an empty one.
public struct TextPayload: MessagePayload, Hashable {
    /// `text`.
    public static let contentType = ContentType.text
    /// The text.
    public var text: String

    /// Wraps a text; nil becomes "".
    public init(_ text: String?) { self.text = text ?? "" }

    /// Reads the content's text.
    public init(decoding content: MessageContent) { self.init(content.text) }

    /// The content to send.
    public func encode() -> MessageContent { .text(text) }

    /// The text, even if it is empty.
    public var preview: String? { text }
}

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

/// A place.
public struct LocationPayload: JSONPayload, Hashable {
    /// `location`.
    public static let contentType = ContentType.location
    /// The name of the place, or a text about it.
    public var text: String?
    /// Degrees, -90 to 90, north positive.
    public var latitude: Double
    /// Degrees, -180 to 180, east positive.
    public var longitude: Double

    private enum CodingKeys: CodingKey { case latitude, longitude }

    /// Creates a payload; the ranges are checked by writing and reading.
    public init(latitude: Double, longitude: Double, text: String? = nil) {
        self.text = text
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Checks that latitude and longitude are in range.
    ///
    /// - Throws: `StoreError.Code.invalidArgument`.
    public func validate() throws {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
            throw StoreError(.invalidArgument, "a location's latitude or longitude is out of range")
        }
    }
}
