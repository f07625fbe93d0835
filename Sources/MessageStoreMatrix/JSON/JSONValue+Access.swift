extension JSONValue {
    /// The member of an object; nil if it has no such member, or is no object.
    public subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// The string; nil if the value is none.
    public var string: String? { stringValue }

    /// The integer; nil if the value is none.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The truth value; nil if the value is none.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements of a list; nil if the value is none.
    public var array: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The members of an object; nil if the value is none.
    public var object: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The members of an object in the order of their names' bytes; none where the value is no object.
    public var members: [(key: String, value: JSONValue)] {
        (object ?? [:]).sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// The events of a section of a response, which holds them in a list of its own.
    public func events(_ section: String) -> [JSONValue] { self[section]?["events"]?.array ?? [] }

    /// The value as JSON without white space, the members of objects sorted by name.
    package var bytes: [UInt8] {
        // Every value that was read can be written: JSON has no number that is not finite.
        (try? JSONBytes.encode(self)) ?? []
    }
}
