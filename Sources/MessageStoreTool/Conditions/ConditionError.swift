/// What is wrong with a condition, and at which character.
struct ConditionError: Error, Equatable {
    /// The whole condition.
    let text: String
    /// The character at which it goes wrong, counted from 0; the count of all where something is missing at the end.
    let offset: Int
    /// What was expected, or what there is not.
    let message: String

    /// What is wrong, the condition, and a line with a mark under the character; safe for a terminal.
    var lines: [String] {
        let width = String(text.prefix(offset)).terminalSafe.displayWidth
        return [
            "in the condition, character \(offset + 1): \(message)".terminalSafe, "  \(text.terminalSafe)",
            "  \(String(repeating: " ", count: width))^",
        ]
    }
}
