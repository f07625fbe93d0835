extension String {
    /// What a message on an unknown name ends with: the one that was probably meant, or else all there are.
    func remedy(among names: some Sequence<String>, listing all: String? = nil) -> String {
        if let near = nearest(of: names) { return "; do you mean \(near)?" }
        return "; there are " + (all ?? names.sorted().joined(separator: ", "))
    }

    /// The name that was probably meant: at most two letters differ, whatever their case.
    func nearest(of names: some Sequence<String>) -> String? {
        let near = names.map { ($0, lowercased().editDistance(to: $0.lowercased())) }.min { $0.1 < $1.1 }
        return near.flatMap { $0.1 <= 2 && $0.1 < count ? $0.0 : nil }
    }

    /// How many letters must be put in, left out or changed to make the other text of it.
    private func editDistance(to other: String) -> Int {
        var row = Array(0...other.count)
        for (line, letter) in enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, otherLetter) in other.enumerated() {
                let changed = diagonal + (letter == otherLetter ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
