internal import Foundation

/// A request of the page.
struct DebugRequest: Sendable {
    let method: String
    /// The value of the header `Host`.
    let host: String?
    /// The parts of the path between slashes; the last is empty if the path ends with one.
    let path: [String]
    /// The parameters, decoded.
    let parameters: [String: String]

    /// A parameter that is there and not empty.
    subscript(name: String) -> String? { parameters[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// A position; nil if the parameter is not there.
    ///
    /// - Throws: ``ToolError`` for anything but a number.
    func position(_ name: String) throws -> Position? {
        try self[name].map { text in
            guard let number = UInt64(text) else { throw ToolError.usage("\(name) takes a position") }
            return Position(number)
        }
    }

    /// A number within limits, or a fallback if the parameter is missing.
    ///
    /// - Throws: ``ToolError`` for anything else.
    func number(_ name: String, in range: ClosedRange<Int>, else fallback: Int) throws -> Int {
        guard let text = self[name] else { return fallback }
        guard let number = Int(text), range.contains(number) else {
            throw ToolError.usage("\(name) takes \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A conversation as `kind:id` or `kind:id#channel`; nil if the parameter is not there.
    ///
    /// - Throws: ``ToolError`` for anything else.
    func conversation() throws -> ConversationKey? {
        try self["conversation"].map { text in
            guard let key = ConversationKey(text) else { throw ToolError.usage("a conversation is named kind:id") }
            return key
        }
    }
}

/// An answer to the page, with the headers that keep others away from it.
struct DebugAnswer: Sendable {
    let status: Int
    let type: String
    let body: Data

    /// A value as JSON.
    static func json(_ value: some Encodable, status: Int = 200) throws -> DebugAnswer {
        DebugAnswer(status: status, type: "application/json", body: Data(try JSON.line(value).utf8))
    }

    /// Words for whoever made a request that is not answered.
    static func refusal(_ status: Int, _ text: String) -> DebugAnswer {
        DebugAnswer(status: status, type: "text/plain; charset=utf-8", body: Data((text + "\n").utf8))
    }

    /// Nothing may be loaded from elsewhere, sent elsewhere, framed, guessed at or kept.
    static let headers = [
        "Content-Security-Policy":
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
    ]
}
