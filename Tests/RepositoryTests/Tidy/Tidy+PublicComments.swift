extension Tidy {
    /// Lines of public documentation that cite a requirement, decision or invariant by its number.
    static func citedCodes(_ file: SourceFile) -> [String] {
        publicComments(file).filter { hasCode(file.lines[$0]) }.map { "\(file.path):\($0 + 1) cites a number" }
    }

    private static func hasCode(_ line: Substring) -> Bool {
        line.split { !$0.isLetter && !$0.isNumber }.contains { word in
            guard let first = word.first, "ABCDEdI".contains(first) else { return false }
            return word.count > 1 && word.dropFirst().allSatisfy(\.isASCII) && Int(word.dropFirst()) != nil
        }
    }

    /// The indices of lines that document a public declaration, a requirement of a public protocol or a public case.
    private static func publicComments(_ file: SourceFile) -> [Int] {
        var indices: [Int] = []
        var comment: [Int] = []
        for (index, line) in file.lines.enumerated() {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("///") {
                comment.append(index)
            } else if !comment.isEmpty, !isAttribute(text) {
                if isPublic(text) || isPublicMember(file, index) { indices += comment }
                comment = []
            }
        }
        return indices
    }

    private static let keywords: Set<Substring> = [
        "func", "var", "let", "init", "struct", "enum", "class", "protocol", "typealias", "case", "subscript",
        "associatedtype", "extension",
    ]

    private static func isAttribute(_ text: Substring) -> Bool {
        text.hasPrefix("@") && !text.split(separator: " ").contains { keywords.contains($0) }
    }

    private static func isPublic(_ text: Substring) -> Bool {
        text.split(separator: " ").contains("public")
    }

    /// Whether a line without an access level stands in a public protocol, or is a case of a public enum.
    private static func isPublicMember(_ file: SourceFile, _ index: Int) -> Bool {
        let words = file.lines[index].split(separator: " ")
        guard !words.contains(where: { ["private", "fileprivate", "package", "internal"].contains($0) }) else {
            return false
        }
        let indentation = file.lines[index].prefix { $0 == " " }.count
        let outer = file.lines[..<index].last { line in
            guard let first = line.first(where: { $0 != " " }) else { return false }
            return line.prefix { $0 == " " }.count < indentation && first != "/" && first != ")" && first != "}"
        }
        guard let outer, isPublic(outer) else { return false }
        return outer.contains(" protocol ") || outer.contains(" enum ") && words.first == "case"
    }
}
