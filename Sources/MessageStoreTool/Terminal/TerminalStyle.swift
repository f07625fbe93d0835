/// Emphasis of text, by escape sequences or not at all.
struct TerminalStyle: Sendable, Equatable {
    /// No emphasis.
    static let plain = TerminalStyle(allowsColour: false)

    /// Whether escape sequences may be written.
    let allowsColour: Bool

    /// The text in bold.
    func bold(_ text: String) -> String {
        wrapped(text, in: 1)
    }

    /// The text in a weaker colour.
    func dim(_ text: String) -> String {
        wrapped(text, in: 2)
    }

    private func wrapped(_ text: String, in attribute: Int) -> String {
        allowsColour && !text.isEmpty ? "\u{1B}[\(attribute)m\(text)\u{1B}[0m" : text
    }
}
