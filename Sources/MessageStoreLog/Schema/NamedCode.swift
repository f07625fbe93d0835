/// A small number of an event with names for the values that this version knows.
///
/// A value that a newer version wrote is kept as it is and never taken for another; give every `switch` a default.
/// In JSON a known value is its name and an unknown one its number.
public protocol NamedCode: FieldValue, RawRepresentable, CustomStringConvertible where RawValue == UInt8 {
    /// Wraps a number.
    init(rawValue: UInt8)
    /// The names of the values that this version knows.
    static var names: [Self: String] { get }
}

/// A code of this package, which alone lists its names.
package protocol BuiltInCode: NamedCode {
    static var known: [Self: String] { get }
}

extension BuiltInCode {
    /// The names of the values that this version knows.
    public static var names: [Self: String] { known }
}

extension NamedCode {
    /// Whether this version knows the value.
    public var isKnown: Bool { Self.names[self] != nil }

    /// The name, or the number of an unknown value.
    public var description: String { Self.names[self] ?? String(rawValue) }

    /// Reads a name or a number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(UInt8.self) {
            self.init(rawValue: number)
            return
        }
        let name = try container.decode(String.self)
        guard let value = Self.names.first(where: { $0.value == name })?.key else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "there is no \(Self.self) \(name)")
        }
        self = value
    }

    /// Writes the name, or the number of an unknown value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let name = Self.names[self] { try container.encode(name) } else { try container.encode(rawValue) }
    }
}
