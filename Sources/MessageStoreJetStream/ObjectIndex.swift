#if JetStream
/// Which message of a subject is which object, as far as a carrier has seen.
struct ObjectIndex {
    /// Every message of the subject up to this number is known.
    var position: UInt64
    /// How many messages are known.
    private(set) var count = 0
    private var newest: [String: UInt64] = [:]
    /// Earlier messages of a name, and those of others, which have none.
    private var earlier: [String: [UInt64]] = [:]
    private var knownLast: UInt64? = 0
    /// The names ascending; nil until the next list.
    private var ascending: [String]? = []

    init(position: UInt64) { self.position = position }

    /// The last message that is known.
    var last: UInt64 {
        mutating get {
            if let knownLast { return knownLast }
            let last = max(newest.values.max() ?? 0, earlier.values.lazy.compactMap { $0.max() }.max() ?? 0)
            knownLast = last
            return last
        }
    }

    /// The names of all objects, in any order.
    var allNames: [String] { Array(newest.keys) }

    func sequence(_ name: String) -> UInt64? { newest[name] }

    /// The messages of a name, ascending.
    func sequences(_ name: String) -> [UInt64] {
        ((earlier[name] ?? []) + (newest[name].map { [$0] } ?? [])).sorted()
    }

    /// Adds a message that follows all known ones; one without a name is no object.
    mutating func insert(_ name: String?, _ sequence: UInt64) {
        count += 1
        position = max(position, sequence)
        knownLast = sequence
        guard let name else { return earlier["", default: []].append(sequence) }
        if let old = newest.updateValue(sequence, forKey: name) {
            earlier[name, default: []].append(old)
        } else if ascending?.last.map({ $0 < name }) ?? true {
            ascending?.append(name)
        } else {
            ascending = nil
        }
    }

    /// Forgets a message that was erased.
    mutating func drop(_ name: String, _ sequence: UInt64) {
        if newest[name] == sequence {
            newest[name] = earlier[name]?.max()
            if newest[name] == nil { ascending = nil }
            earlier[name]?.removeAll { $0 == newest[name] }
        } else if earlier[name]?.contains(sequence) == true {
            earlier[name]?.removeAll { $0 == sequence }
        } else {
            return
        }
        if earlier[name]?.isEmpty == true { earlier[name] = nil }
        count -= 1
        if knownLast == sequence { knownLast = nil }
    }

    /// The first names that begin with a prefix and follow a name, ascending.
    mutating func names(_ prefix: String, after name: String?) -> [String] {
        let ascending = self.ascending ?? newest.keys.sorted()
        self.ascending = ascending
        let lowest = max(prefix, name ?? "")
        var (low, high) = (0, ascending.count)
        while low < high {
            let middle = (low + high) / 2
            if ascending[middle] < lowest { low = middle + 1 } else { high = middle }
        }
        let start = low < ascending.count && ascending[low] == name ? low + 1 : low
        return Array(ascending[start...].prefix(CarrierLimits.page).prefix { $0.hasPrefix(prefix) })
    }
}
#endif
