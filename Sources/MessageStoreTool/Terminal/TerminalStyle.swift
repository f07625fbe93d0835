/// Emphasis of text, by escape sequences or not at all.
struct TerminalStyle: Sendable, Equatable {
    /// No emphasis.
    static let plain = TerminalStyle(allowsColour: false)

    /// Whether escape sequences may be written.
    let allowsColour: Bool

    /// The text in bold.
    func bold(_ text: String) -> String { allowsColour && !text.isEmpty ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}
