internal import MessageStoreLMDB

/// Fetches objects into files, several at a time.
struct ObjectFetch: Sendable {
    let carrier: any Carrier
    private let checkKey: KeyCheck
    /// Called with the bytes of each object.
    let progress: @Sendable (_ added: Int) -> Void

    /// So many objects are asked for at a time.
    private static let width = 4

    /// A function that throws if a key does not open a segment.
    typealias KeyCheck = @Sendable (_ segment: [UInt8], _ name: String) throws -> Void

    init(
        carrier: any Carrier, checkKey: @escaping KeyCheck,
        progress: @escaping @Sendable (_ added: Int) -> Void = { _ in }
    ) {
        (self.carrier, self.checkKey, self.progress) = (carrier, checkKey, progress)
    }

    /// Fetches a base into a new directory.
    func base(_ base: ShippedLog.Base, to directory: String) async throws {
        let name = base.name + ObjectName.manifest
        let manifest = try await base.manifest(carrier)
        guard manifest.isSafe, manifest.position == base.position.rawValue else { throw damaged(name) }
        try manifest.checkWords(name)
        try StoreError.translating { try FileSystem.createDirectory(directory) }
        try checkKey([UInt8](manifest.end), name)
        var files = manifest.files[...]
        var written = 0
        try await forEach(manifest.pieces.indices.map { base.name + ObjectName.number($0) }) { index, name, object in
            guard BaseManifest.checksum(of: object) == manifest.pieces[index] else { throw damaged(name) }
            var rest = object[...]
            while let file = files.first, !rest.isEmpty || file.size == 0 {
                let part = rest.prefix(file.size - written)
                try Self.append(Array(part), to: directory + "/" + file.path, below: directory)
                rest = rest.dropFirst(part.count)
                written += part.count
                guard written == file.size else { break }
                (files, written) = (files.dropFirst(), 0)
            }
            guard rest.isEmpty else { throw damaged(name) }
        }
        guard files.isEmpty else { throw damaged(name) }
    }

    /// Fetches the pieces of a base, and throws if one is missing or damaged, or the base is under another key.
    func check(_ base: ShippedLog.Base) async throws {
        let manifest = try await base.manifest(carrier)
        let name = base.name + ObjectName.manifest
        guard manifest.isSafe, manifest.position == base.position.rawValue else { throw damaged(name) }
        try manifest.checkWords(name)
        try checkKey([UInt8](manifest.end), name)
        var left = manifest.files.reduce(0) { $0.addingReportingOverflow($1.size).partialValue }
        try await forEach(manifest.pieces.indices.map { base.name + ObjectName.number($0) }) { index, name, object in
            guard BaseManifest.checksum(of: object) == manifest.pieces[index] else { throw damaged(name) }
            left -= object.count
        }
        guard left == 0 else { throw damaged(name) }
    }

    /// Fetches the segments that continue a base, and throws if one is missing, damaged or under another key.
    ///
    /// - Returns: The last position.
    func check(_ segments: ArraySlice<ShippedLog.Segment>, after position: Position) async throws -> Position {
        var reached = position
        try await forEach(segments.map(\.name)) { index, name, object in
            try ShippedLog.checkSegment(object, name: name)
            guard let positions = EventLog.positions(ofWholeSegment: object) else { throw damaged(name) }
            let first = Position(reached.rawValue + 1)
            guard positions.first <= first else {
                throw StoreError(.segmentMissing, "the segment before this one is missing", position: first, path: name)
            }
            try checkKey(object, name)
            reached = max(reached, positions.last)
        }
        return reached
    }

    /// Fetches segments into a directory; answers their files, in order.
    func segments(_ segments: ArraySlice<ShippedLog.Segment>, to directory: String) async throws -> [String] {
        let files = segments.map { directory + "/" + ObjectName.number($0.first.rawValue) }
        try await forEach(segments.map(\.name)) { index, name, object in
            try ShippedLog.checkSegment(object, name: name)
            // Whoever reads the files opens all of them.
            if index == 0 { try checkKey(object, name) }
            try FileSystem.create(files[index], bytes: object)
        }
        return files
    }

    /// Calls `body` with the objects in the order of their names, while the next ones are on their way.
    private func forEach(
        _ names: [String], _ body: (_ index: Int, _ name: String, _ object: [UInt8]) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (Int, [UInt8]?).self) { [carrier] group in
            var (asked, arrived) = (0, [Int: [UInt8]]())
            for (index, name) in names.enumerated() {
                while asked < min(index + Self.width, names.count) {
                    group.addTask { [asked] in (asked, try await carrier.get(names[asked])) }
                    asked += 1
                }
                while arrived[index] == nil, let (number, object) = try await group.next() {
                    guard let object else { throw missing(names[number]) }
                    arrived[number] = object
                }
                guard let object = arrived.removeValue(forKey: index) else { throw missing(name) }
                try StoreError.translating { try body(index, name, object) }
                progress(object.count)
            }
        }
    }

    private static func append(_ bytes: [UInt8], to file: String, below directory: String) throws {
        try createDirectories(to: FileSystem.parent(of: file), below: directory)
        try FileSystem.append(bytes, to: file)
    }

    private static func createDirectories(to path: String, below directory: String) throws {
        guard path != directory, try FileSystem.status(of: path) == nil else { return }
        try createDirectories(to: FileSystem.parent(of: path), below: directory)
        try FileSystem.createDirectory(path)
    }

    private func missing(_ name: String) -> StoreError {
        StoreError(.segmentMissing, "an object that was listed is not there", path: name)
    }

    private func damaged(_ name: String) -> StoreError {
        StoreError(.segmentDamaged, "a shipped object is damaged", path: name)
    }
}
