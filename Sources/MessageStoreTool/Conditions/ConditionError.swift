/// The problem with a condition, and its character.
struct ConditionError: Error, Equatable {
    /// The whole condition.
    let text: String
    /// The character at which it goes wrong, counted from 0; the count of all where something is missing at the end.
    let offset: Int
    /// The problem: the expected or the missing part.
    let message: String

    /// The problem, the condition, and a line with a mark under the character; safe for a terminal.
    var lines: [String] {
        let width = String(text.prefix(offset)).terminalSafe.displayWidth
        return [
            "in the condition, character \(offset + 1): \(message)".terminalSafe, "  \(text.terminalSafe)",
            "  \(String(repeating: " ", count: width))^",
        ]
    }
}
