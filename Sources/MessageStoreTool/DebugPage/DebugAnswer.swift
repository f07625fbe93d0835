internal import Foundation

/// An answer to the page, with the headers that keep others away from it.
struct DebugAnswer: Sendable {
    let status: Int
    let type: String
    let body: Data

    /// A value as JSON.
    static func json(_ value: some Encodable, status: Int = 200) throws -> DebugAnswer {
        DebugAnswer(status: status, type: "application/json", body: Data(try JSON.line(value).utf8))
    }

    /// Words for whoever asked what is not answered.
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
