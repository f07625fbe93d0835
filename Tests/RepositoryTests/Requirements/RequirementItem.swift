/// The number of a requirement or decision, such as `A12` or `d5`.
struct RequirementItem: Hashable, CustomStringConvertible {
    let document: Character
    let number: Int

    /// Every item, document by document, then the decisions.
    static let all: [RequirementItem] =
        [("A", 35), ("B", 53), ("C", 31), ("D", 23), ("E", 32), ("X", 16), ("d", 52)]
        .flatMap {
            document, count in (1...count).map { RequirementItem(document: document, number: $0) }
        }

    var description: String { "\(document)\(number)" }

    init(document: Character, number: Int) {
        self.document = document
        self.number = number
    }

    init?(_ text: some StringProtocol) {
        guard let document = text.first, "ABCDEXd".contains(document), let number = Int(text.dropFirst()) else {
            return nil
        }
        self.init(document: document, number: number)
    }

    /// The items before the colon of a test's name: "A1, C5–C9: …".
    static func items(ofTest name: String) -> Set<RequirementItem> {
        guard let list = name.split(separator: ":", omittingEmptySubsequences: false).dropLast().first else {
            return []
        }
        return Set(
            list.split(separator: ",").flatMap { part -> [RequirementItem] in
                let ends = part.split(separator: "–").map { RequirementItem($0.filter { $0 != " " }) }
                guard let first = ends.first ?? nil else { return [] }
                guard let last = ends.last ?? nil, last.document == first.document, last.number > first.number else {
                    return [first]
                }
                return (first.number...last.number).map { RequirementItem(document: first.document, number: $0) }
            })
    }
}
