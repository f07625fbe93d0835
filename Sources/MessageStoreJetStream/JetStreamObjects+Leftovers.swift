#if JetStream
extension JetStreamObjects {
    /// Erases parts that no object names: whoever put them was killed, or lost the connection, before it could name them.
    ///
    /// Another one may be about to name its own. So a message that is no object comes first: a put that began before it
    /// fails by it, and puts other parts. It stays until the next one. The server takes it only where it follows the last
    /// message that the index has, so that no name is missing there, as a replica without the last changes would make it.
    ///
    /// - Returns: Whether all of them are erased.
    mutating func eraseLeftovers(_ name: String, until deadline: Deadline) throws -> Bool {
        let (subject, partSubject) = (subject(name.prefix { $0 != "/" }), partSubject(name))
        guard !checkedParts.contains(partSubject) else { return true }
        let leftovers = try leftovers(subject, partSubject, until: deadline)
        if !leftovers.isEmpty {
            let last = indexes[subject]?.last ?? 0
            let fence = try call(until: deadline) {
                try $0.publish([], subject, nil, isList: false, after: last, until: deadline)
            }
            // Somebody put an object meanwhile, or the index lacks some: the next put looks again.
            guard let fence else { return false }
            for (name, sequence) in leftovers {
                try call(until: deadline) { try $0.erase(sequence, until: deadline) }
                indexes[partSubject]?.drop(name, sequence)
            }
            for sequence in indexes[subject]?.sequences("") ?? [] where sequence < fence {
                try call(until: deadline) { try $0.erase(sequence, until: deadline) }
                indexes[subject]?.drop("", sequence)
            }
        }
        checkedParts.insert(partSubject)
        return true
    }

    /// Parts that no object names at this moment.
    private mutating func leftovers(
        _ subject: String, _ partSubject: String, until deadline: Deadline
    ) throws -> [(name: String, sequence: UInt64)] {
        try refresh(partSubject, until: deadline)
        let names = indexes[partSubject]?.allNames ?? []
        guard !names.isEmpty else { return [] }
        try refresh(subject, until: deadline)
        // A look at each takes a call: one that a deadline ended is continued.
        return try names.filter { !checkedNames.contains($0) }.flatMap { name in
            var named: [UInt64] = []
            if let sequence = indexes[subject]?.sequence(name),
                let message = try call(until: deadline, { try $0.message(sequence, until: deadline) }), message.isList
            {
                named = Self.parts(message.bytes).compactMap { $0 }
            }
            let sequences = indexes[partSubject]?.sequences(name) ?? []
            let left = sequences.filter { !named.contains($0) }.map { (name, $0) }
            if left.isEmpty { checkedNames.insert(name) }
            return left
        }
    }

    /// The numbers of an object's parts; nil for a word that is no number.
    static func parts(_ list: [UInt8]) -> [UInt64?] {
        list.split(separator: UInt8(ascii: " ")).map { UInt64(String(decoding: $0, as: UTF8.self)) }
    }
}
#endif
