internal import Foundation

/// Machine-readable output on standard output.
enum JSON {
    /// Prints one value on one line, with sorted keys; what cannot be seen is escaped.
    static func print(_ value: some Encodable, omitsContent: Bool = false) throws {
        Swift.print(try line(value, omitsContent: omitsContent))
    }

    /// Prints some fields of an event, those of its payload on a level with those of the event itself.
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
