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
