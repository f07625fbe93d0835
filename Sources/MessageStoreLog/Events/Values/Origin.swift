/// How the store learned of an event.
public struct Origin: NamedCode, BuiltInCode {
    /// The number in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Made on this device.
    public static let local = Origin(rawValue: 0)
    /// Pushed while online.
    public static let live = Origin(rawValue: 1)
    /// Delivered after having been offline.
    public static let offline = Origin(rawValue: 2)
    /// Fetched from the server's history.
    public static let history = Origin(rawValue: 3)
    /// Made by this account on another device.
    public static let otherDevice = Origin(rawValue: 4)

    package static let known: [Origin: String] = [
        .local: "local", .live: "live", .offline: "offline", .history: "history", .otherDevice: "otherDevice",
    ]
}
