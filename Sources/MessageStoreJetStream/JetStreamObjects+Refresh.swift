#if JetStream
extension JetStreamObjects {
    /// Reads the names of all messages of a subject that are new.
    ///
    /// The server numbers messages, but does not report which were erased: it counts them. Where the count differs even
    /// after what is new was read, the index is made again.
    mutating func refresh(_ filter: String, until deadline: Deadline) throws {
        let attempts = 4
        for attempt in 1...attempts {
            let state = try call(until: deadline) { try $0.state(filter, until: deadline) }
            if state.created != created || state.last < position {
                indexes = [:]
                (created, position) = (state.created, 0)
            }
            let isEvery = filter.hasSuffix("*")
            let beginning = filter.dropLast()
            let known = isEvery ? indexes.keys.filter { $0.hasPrefix(beginning) } : [filter]
            let subjects = Set(known).union(state.counts.keys)
            for subject in subjects {
                if attempt == attempts, indexes[subject]?.count != state.counts[subject] ?? 0 {
                    indexes[subject] = ObjectIndex(position: 0)
                } else if indexes[subject] == nil {
                    indexes[subject] = ObjectIndex(position: position)
                }
            }
            let start = subjects.compactMap { indexes[$0]?.position }.min() ?? position
            if start < state.last { try read(filter, from: start, until: deadline) }
            // What a replica has not got yet is still to be read.
            if !state.isReplicated {
                for subject in subjects {
                    let position = indexes[subject]?.position ?? 0
                    indexes[subject]?.position = max(position, state.last)
                }
                if isEvery { position = max(position, state.last) }
            }
            if subjects.allSatisfy({ indexes[$0]?.count == state.counts[$0] ?? 0 }) { return }
        }
    }

    private mutating func read(_ filter: String, from start: UInt64, until deadline: Deadline) throws {
        var indexes = indexes
        self.indexes = [:]
        defer { self.indexes = indexes }
        let position = position
        try call(until: deadline) { connection in
            try connection.headers(filter, after: start, until: deadline) { subject, name, sequence in
                guard sequence > indexes[subject]?.position ?? position else { return }
                let first = subject.split(separator: ".").last ?? ""
                let isObject = name.map { $0.prefix { $0 != "/" } == first && (try? $0.checkObjectName()) != nil }
                indexes[subject, default: ObjectIndex(position: position)]
                    .insert(isObject == true ? name : nil, sequence)
            }
        }
    }
}
#endif
