internal import MessageStoreLMDB
internal import MessageStoreLog

/// Fetches objects into files, several at a time.
struct ObjectFetch: Sendable {
    let carrier: any Carrier
    /// Called with the bytes of each few objects.
    let progress: @Sendable (_ added: Int) -> Void

    /// So many objects are asked for at a time.
    private static let width = 4

    init(carrier: any Carrier, progress: @escaping @Sendable (_ added: Int) -> Void = { _ in }) {
        (self.carrier, self.progress) = (carrier, progress)
    }

    /// Fetches a base into a new directory.
    func base(_ base: ShippedLog.Base, to directory: String) async throws {
        let name = base.name + ObjectName.manifest
        let manifest = try await base.manifest(carrier)
        guard manifest.isSafe, manifest.position == base.position.rawValue else { throw damaged(name) }
        try StoreError.translating { try FileSystem.createDirectory(directory) }
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

    /// Fetches segments into a directory; answers their files, in order.
    func segments(_ segments: ArraySlice<ShippedLog.Segment>, to directory: String) async throws -> [String] {
        let files = segments.map { directory + "/" + ObjectName.number($0.first.rawValue) }
        try await forEach(segments.map(\.name)) { index, _, object in
            try FileSystem.create(files[index], bytes: object)
        }
        return files
    }

    /// Calls `body` with the objects in the order of their names.
    private func forEach(
        _ names: [String], _ body: (_ index: Int, _ name: String, _ object: [UInt8]) throws -> Void
    ) async throws {
        var start = 0
        while start < names.count {
            let next = Array(names[start..<min(start + Self.width, names.count)])
            let objects = try await withThrowingTaskGroup(of: (Int, [UInt8]?).self) { [carrier] group in
                for (index, name) in next.enumerated() {
                    group.addTask { (index, try await carrier.get(name)) }
                }
                return try await group.reduce(into: [[UInt8]?](repeating: nil, count: next.count)) { $0[$1.0] = $1.1 }
            }
            for (index, object) in objects.enumerated() {
                guard let object else { throw missing(next[index]) }
                try StoreError.translating { try body(start + index, next[index], object) }
            }
            progress(objects.reduce(0) { $0 + ($1?.count ?? 0) })
            start += next.count
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
