/// How the store learned of an event.
public struct Origin: NamedCode, BuiltInCode {
    /// The number in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Made on this device.
    @inlinable public static var local: Origin { Origin(rawValue: 0) }
    /// Pushed while online.
    @inlinable public static var live: Origin { Origin(rawValue: 1) }
    /// Delivered after having been offline.
    @inlinable public static var offline: Origin { Origin(rawValue: 2) }
    /// Fetched from the server's history.
    @inlinable public static var history: Origin { Origin(rawValue: 3) }
    /// Made by this account on another device.
    @inlinable public static var otherDevice: Origin { Origin(rawValue: 4) }

    package static let known: [Origin: String] = [
        .local: "local", .live: "live", .offline: "offline", .history: "history", .otherDevice: "otherDevice",
    ]
}
