internal import Foundation
internal import MessageStore

extension JSONValue {
    /// The member of an object; nil where there is none, or this is no object.
    subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    var array: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    var object: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The members of an object in the order of their names' bytes; none where this is no object.
    var members: [(key: String, value: JSONValue)] {
        (object ?? [:]).ordered { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// The value as JSON without white space, the members of objects sorted by name.
    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Every value that was read can be written: JSON has no number that is not finite.
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }
}
