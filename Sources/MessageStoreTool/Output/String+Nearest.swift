extension String {
    /// The end of a message about an unknown name: the one that was probably meant, or else all there are.
    func remedy(among names: some Sequence<String>, listing all: String? = nil) -> String {
        if let near = nearest(of: names) { return "; do you mean \(near)?" }
        return "; there are " + (all ?? names.ordered().joined(separator: ", "))
    }

    /// The name that was probably meant: at most two letters differ, whatever their case.
    func nearest(of names: some Sequence<String>) -> String? {
        let near = names.map { ($0, lowercased().editDistance(to: $0.lowercased())) }.min { $0.1 < $1.1 }
        return near.flatMap { $0.1 <= 2 && $0.1 < count ? $0.0 : nil }
    }
}

extension Collection where Element: Equatable {
    /// How many elements must be added, left out or replaced to make the other collection of this one.
    func editDistance(to other: some Collection<Element>) -> Int {
        var row = Array(0...other.count)
        for (line, element) in enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, another) in other.enumerated() {
                let changed = diagonal + (element == another ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
