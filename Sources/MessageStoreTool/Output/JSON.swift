internal import Foundation

/// Machine-readable output on standard output.
enum JSON {
    /// Prints one value on one line, with sorted keys; invisible characters are escaped.
    static func print(_ value: some Encodable, omitsContent: Bool = false) throws {
        Swift.print(try line(value, omitsContent: omitsContent))
    }

    /// Prints some fields of an event, the payload's on a level with the event's own.
    static func print(_ event: some Encodable, fields: [String], omitsContent: Bool) throws {
        let whole = try JSONSerialization.jsonObject(with: data(event, omitsContent: omitsContent)) as? [String: Any]
        let parts = [whole, whole?["payload"] as? [String: Any], whole?["described"] as? [String: Any]]
        let chosen = fields.compactMap { name in parts.lazy.compactMap { $0?[name] }.first.map { (name, $0) } }
        let data = try JSONSerialization.data(
            withJSONObject: Dictionary(chosen, uniquingKeysWith: { first, _ in first }), options: options)
        Swift.print(String(decoding: data, as: UTF8.self).terminalSafeJSON)
    }

    /// The line that ``print(_:omitsContent:)`` prints.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    static func line(_ value: some Encodable, omitsContent: Bool = false) throws -> String {
        String(decoding: try data(value, omitsContent: omitsContent), as: UTF8.self).terminalSafeJSON
    }

    private static func data(_ value: some Encodable, omitsContent: Bool) throws -> Data {
        let encoder = JSONEncoder()
        encoder.userInfo[.omitsEventContent] = omitsContent
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    private static let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
}

/// An object of JSON output: the members of a value, if there is one, and the literal's members that are not nil.
struct JSONObject: Encodable, Sendable, ExpressibleByDictionaryLiteral {
    typealias Base = any Encodable & Sendable
    typealias Key = String
    typealias Value = Base?

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let base: Base?
    private var members: [(name: String, value: Value)]

    init(dictionaryLiteral members: (String, Value)...) { (base, self.members) = (nil, members) }

    /// - Parameter base: A value that encodes itself as an object.
    init(_ base: Base, _ members: KeyValuePairs<String, Value> = [:]) {
        (self.base, self.members) = (base, members.map { ($0.key, $0.value) })
    }

    subscript(name: String) -> Value {
        get { members.first { $0.name == name }?.value }
        set { members.append((name, newValue)) }
    }

    func encode(to encoder: any Encoder) throws {
        try base?.encode(to: encoder)
        var container = encoder.container(keyedBy: Name.self)
        for case (let name, let value?) in members { try container.encode(value, forKey: Name(stringValue: name)) }
    }
}

extension JSONObject {
    /// The facts that are there, by their names.
    init(_ facts: [Fact]) {
        (base, members) = (nil, facts.map { ($0.name, $0.value == .absent ? nil : $0.value) })
    }

    /// A value of the page, with a mark if an event changed it.
    init(_ base: Base, isChanged: Bool) { self.init(base, ["changed": isChanged ? true : nil]) }
}
