#if JetStream
/// The objects of a place, as far as they are known, and how calls change them.
struct JetStreamObjects {
    let configuration: JetStreamCarrier.Configuration
    private var connection: JetStreamConnection?
    var indexes: [String: ObjectIndex] = [:]
    /// Every message of any object up to this number is in an index.
    var position: UInt64 = 0
    /// When the stream was created whose messages the indexes know.
    var created: Int64 = 0
    /// Subjects whose parts all belong to objects, as far as this carrier's own puts go.
    var checkedParts: Set<String> = []
    /// The names of objects that were looked at for that.
    var checkedNames: Set<String> = []

    init(_ configuration: JetStreamCarrier.Configuration) { self.configuration = configuration }

    /// The subject of the objects whose names begin so; `*` for all.
    func subject(_ first: some StringProtocol) -> String {
        "\(configuration.stream).\(configuration.prefix).o.\(first)"
    }

    /// The subject of parts of these objects.
    func partSubject(_ name: String) -> String {
        "\(configuration.stream).\(configuration.prefix).p.\(name.prefix { $0 != "/" })"
    }

    /// Calls the server, and forgets a connection that cannot be used any more.
    mutating func call<Result>(
        until deadline: Deadline, _ body: (JetStreamConnection) throws -> Result
    ) throws -> Result {
        do {
            let connection = try self.connection ?? JetStreamConnection(configuration, until: deadline)
            self.connection = connection
            try connection.wait(until: deadline)
            return try body(connection)
        } catch let error as NATSError {
            if error.isConnectionLost { connection = nil }
            throw error.translated
        } catch {
            // The time is over: an answer that still arrives belongs to no call.
            connection = nil
            throw error
        }
    }

    /// Puts an object under a name, which another object may have.
    mutating func put(_ bytes: [UInt8], _ name: String, replaces: Bool, until deadline: Deadline) throws -> Bool {
        let subject = subject(name.prefix { $0 != "/" })
        let isChecked = try eraseLeftovers(name, until: deadline)
        var isCurrent = indexes[subject] == nil
        if isCurrent { try refresh(subject, until: deadline) }
        while true {
            if !replaces, indexes[subject]?.sequence(name) != nil {
                if isCurrent { return false }
                isCurrent = true
                try refresh(subject, until: deadline)
                continue
            }
            let limit = min(configuration.objectSize, try call(until: deadline) { $0.largestMessage })
            // Until they are named, and those before them erased.
            if bytes.count > limit {
                checkedParts.remove(partSubject(name))
                checkedNames.remove(name)
            }
            let parts = bytes.count > limit ? try putParts(bytes, name, limit, until: deadline) : []
            let list = Array(parts.map(String.init).joined(separator: " ").utf8)
            let last = indexes[subject]?.last ?? 0
            let sequence = try call(until: deadline) {
                try $0.publish(
                    parts.isEmpty ? bytes : list, subject, name, isList: !parts.isEmpty, after: last, until: deadline)
            }
            guard let sequence else {
                // Another one was faster, perhaps with this name; the parts are put again if it was not.
                for part in parts { try call(until: deadline) { try $0.erase(part, until: deadline) } }
                isCurrent = true
                try refresh(subject, until: deadline)
                continue
            }
            indexes[subject]?.insert(name, sequence)
            if replaces || !parts.isEmpty {
                try erase(name, subject, before: sequence, keeping: parts, until: deadline)
            }
            if isChecked { checkedParts.insert(partSubject(name)) }
            return true
        }
    }

    mutating func get(_ name: String, until deadline: Deadline) throws -> [UInt8]? {
        let subject = subject(name.prefix { $0 != "/" })
        var lacksPart = false
        for attempt in 0..<4 {
            if attempt > 0 || indexes[subject]?.sequence(name) == nil { try refresh(subject, until: deadline) }
            guard let sequence = indexes[subject]?.sequence(name) else { return nil }
            guard let message = try call(until: deadline, { try $0.message(sequence, until: deadline) }) else {
                indexes[subject]?.drop(name, sequence)
                continue
            }
            guard message.isList else { return message.bytes }
            var bytes: [UInt8] = []
            lacksPart = false
            for number in Self.parts(message.bytes) where !lacksPart {
                let part = try number.flatMap { number in
                    try call(until: deadline) { try $0.message(number, until: deadline) }
                }
                if let part { bytes += part.bytes } else { lacksPart = true }
            }
            if !lacksPart { return bytes }
        }
        throw StoreError(
            .carrierFailed, lacksPart ? "an object lacks a part" : "an object was replaced again and again")
    }

    mutating func remove(_ name: String, until deadline: Deadline) throws {
        let subject = subject(name.prefix { $0 != "/" })
        try refresh(subject, until: deadline)
        guard let sequence = indexes[subject]?.sequence(name), sequence < .max else { return }
        try erase(name, subject, before: sequence + 1, keeping: [], until: deadline)
    }

    mutating func list(_ prefix: String, after name: String?, until deadline: Deadline) throws -> [String] {
        let first = prefix.prefix { $0 != "/" }
        // No object has such a name, and a subject could mean others.
        guard (try? (first.isEmpty ? "a" : String(first)).checkObjectName()) != nil else { return [] }
        let isWhole = first.endIndex < prefix.endIndex
        guard !(isWhole && first.isEmpty) else { return [] }
        try refresh(subject(isWhole ? String(first) : "*"), until: deadline)
        let beginning = subject(first)
        var names: [String] = []
        for subject in Array(indexes.keys) where isWhole ? subject == beginning : subject.hasPrefix(beginning) {
            names += indexes[subject]?.names(prefix, after: name) ?? []
        }
        return Array(names.sorted().prefix(CarrierLimits.page))
    }

    private mutating func putParts(
        _ bytes: [UInt8], _ name: String, _ size: Int, until deadline: Deadline
    ) throws -> [UInt64] {
        let subject = partSubject(name)
        return try stride(from: 0, to: bytes.count, by: size).compactMap { start in
            try call(until: deadline) {
                try $0.publish(
                    Array(bytes[start..<min(start + size, bytes.count)]), subject, name, isList: false, after: nil,
                    until: deadline)
            }
        }
    }

    /// Erases the messages of a name before one, and their parts first, so that a call that was cut off can be repeated.
    ///
    /// Parts before a message that it does not name belong to no object: who put them finds that message, and puts other
    /// parts.
    private mutating func erase(
        _ name: String, _ subject: String, before end: UInt64, keeping kept: [UInt64], until deadline: Deadline
    ) throws {
        let partSubject = partSubject(name)
        try refresh(partSubject, until: deadline)
        for subject in [partSubject, subject] {
            for sequence in indexes[subject]?.sequences(name) ?? [] where sequence < end && !kept.contains(sequence) {
                try call(until: deadline) { try $0.erase(sequence, until: deadline) }
                indexes[subject]?.drop(name, sequence)
            }
        }
    }
}

extension JetStreamObjects {
    /// Erases parts that no object names: whoever put them was killed, or lost the connection, before it could name them.
    ///
    /// Another one may be about to name its own. So a message that is no object comes first: a put that began before it
    /// fails by it, and puts other parts. It stays until the next one. The server takes it only if it follows the last
    /// message that the index has, so that no name is missing there, as a replica without the last changes would make
    /// it.
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

extension JetStreamObjects {
    /// Reads the names of all messages of a subject that are new.
    ///
    /// The server numbers messages, but does not report which were erased: it counts them. If the count differs even
    /// after new messages were read, the index is made again.
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
            // Messages that a replica has not got yet are still to be read.
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

/// The objects of a subject's messages, as far as a carrier has seen.
struct ObjectIndex {
    /// Every message of the subject up to this number is known.
    var position: UInt64
    /// How many messages are known.
    private(set) var count = 0
    private var newest: [String: UInt64] = [:]
    /// Earlier messages by name, and nameless ones under the empty name.
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
