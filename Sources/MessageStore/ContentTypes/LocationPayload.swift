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
