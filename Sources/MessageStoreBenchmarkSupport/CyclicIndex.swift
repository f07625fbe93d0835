/// Indices below `count` in steps, from the first again after the last.
struct CyclicIndex {
    /// A prime, so that successive indices lie far apart and all are met.
    static let wideStep = 7919

    let count: Int
    let step: Int
    private var index = 0

    init(count: Int, step: Int = 1) {
        self.count = count
        self.step = step
    }

    mutating func next() -> Int {
        defer { index = (index + step) % count }
        return index
    }
}
