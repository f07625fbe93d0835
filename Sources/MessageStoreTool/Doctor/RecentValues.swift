/// The latest values noted under the hash of each key, in bounded memory.
struct RecentValues<Value> {
    /// The keys of which the latest are always remembered; at most twice as many are.
    private let capacity: Int
    private var recent: [Int: Value] = [:]
    private var older: [Int: Value] = [:]

    init(capacity: Int) { self.capacity = capacity }

    /// The value of a key by its `hashValue`; nil where there is none, or none any more.
    subscript(hash: Int) -> Value? {
        get { recent[hash] ?? older[hash] }
        set {
            if recent.count == capacity { (older, recent) = (recent, [:]) }
            recent[hash] = newValue
        }
    }
}
