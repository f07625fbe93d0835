internal import MessageStoreSearch

/// A hit of a search, as two lines: what it is, and the part of its text with what was found in bold.
struct SearchOutput {
    private let head: String
    private let parts: [(text: String, isFound: Bool)]

    /// Characters before the first place, and in all.
    private static let (charactersBefore, characters) = (40, 200)

    init(_ hit: SearchHit, _ names: Names) {
        let place = "\(hit.position.rawValue)"
        if let message = hit.message {
            head = [place, message.time.cell, names.label(of: message.conversation), names.label(of: message.sender)]
                .map(\.terminalSafe).joined(separator: "  ")
        } else {
            head = place
        }
        parts = (hit.field == .fileName ? [("[file] ", false)] : []) + Self.parts(hit)
    }

    func lines(_ style: TerminalStyle) -> String {
        let text = parts.map { $0.isFound ? style.bold($0.text.terminalSafe) : $0.text.terminalSafe }
        return "\(head)\n    \(text.joined())\n"
    }

    /// The text around the first place, cut where it is long.
    private static func parts(_ hit: SearchHit) -> [(String, Bool)] {
        let text = hit.text
        let first = hit.highlights.first?.lowerBound ?? text.startIndex
        let start = text.index(first, offsetBy: -charactersBefore, limitedBy: text.startIndex) ?? text.startIndex
        let end = text.index(start, offsetBy: characters, limitedBy: text.endIndex) ?? text.endIndex
        var parts: [(String, Bool)] = start > text.startIndex ? [("…", false)] : []
        var place = start
        for range in hit.highlights where range.lowerBound < end {
            parts.append((String(text[place..<max(place, range.lowerBound)]), false))
            parts.append((String(text[range.lowerBound..<min(range.upperBound, end)]), true))
            place = max(place, min(range.upperBound, end))
        }
        parts.append((String(text[place..<max(place, end)]), false))
        if end < text.endIndex { parts.append(("…", false)) }
        return parts
    }
}
