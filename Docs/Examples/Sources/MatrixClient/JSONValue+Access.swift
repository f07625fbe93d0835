import Foundation
import MessageStore

extension JSONValue {
    /// The member of an object; nil where it has no such member, or is no object.
    subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    var string: String? { stringValue }

    var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    var array: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The members of an object in the order of their names; none where this is no object.
    var members: [(key: String, value: JSONValue)] {
        guard case .object(let members) = self else { return [] }
        return members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// The value as JSON without white space, the members of objects sorted by name.
    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }

    /// The events of a section, which holds them in a list of its own.
    func events(_ section: String) -> [JSONValue] { self[section]?["events"]?.array ?? [] }
}
