/// How wide texts are drawn. Fonts differ; these widths are those of a wide one, so that others leave room.
enum TextWidth {
    static func of(_ text: String, size: Double = 12) -> Double { text.reduce(0) { $0 + width($1) } * size }

    /// In parts of the font's size.
    private static func width(_ character: Character) -> Double {
        switch character {
        case " ", ".", ",", ":", ";", "'", "i", "j", "l", "|": 0.33
        case "f", "t", "r", "(", ")", "-", "/", "I", "J": 0.42
        case "m", "w", "M", "W", "%", "×", "÷": 0.98
        default: character.isUppercase ? 0.76 : character.isASCII || character.isLetter ? 0.64 : 1
        }
    }

    /// Lines of whole words that are as wide as there is room, where words are not wider.
    static func wrap(_ text: String, to room: Double, size: Double = 12) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, of(last + " " + word, size: size) <= room {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    static func widestWord(_ text: String, size: Double = 12) -> Double {
        text.split(separator: " ").map { of(String($0), size: size) }.max() ?? 0
    }
}
