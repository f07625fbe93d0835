/// What was noted lately under each key, in bounded memory.
struct RecentValues<Value> {
    /// The keys of which the latest are always remembered; at most twice as many are.
    private let capacity: Int
    private var recent: [Int: Value] = [:]
    private var older: [Int: Value] = [:]

    init(capacity: Int) { self.capacity = capacity }

    /// The value of a key; nil where there is none, or none any more.
    subscript(key: some Hashable) -> Value? {
        get { recent[key.hashValue] ?? older[key.hashValue] }
        set {
            if recent.count == capacity { (older, recent) = (recent, [:]) }
            recent[key.hashValue] = newValue
        }
    }
}
