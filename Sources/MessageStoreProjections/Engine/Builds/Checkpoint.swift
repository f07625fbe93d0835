@_spi(Storage) internal import MessageStoreLog

/// The log and the position that the views' environment is the fold of; written in the same transaction as its rows.
///
/// It names the log and the record at its position: where either does not fit (a restored backup, a swapped directory,
/// a log shorter than the checkpoint) the views are dropped and rebuilt. Each projection has its own part: one that
/// another version made, or that is at an earlier position, is rebuilt without the others.
package struct Checkpoint: Equatable, Sendable {
    /// The id of the store whose log was folded.
    package var storeID: [UInt8]
    package var position: Position
    /// The checksum of the record at the position; 0 at the origin.
    package var recordChecksum: UInt64
    /// The projections that have rows, also ones that nobody registered this time, by name.
    package var projections: [ProjectionID: ProjectionCheckpoint]
}

extension Checkpoint {
    /// The checkpoint of empty views.
    package init(storeID: [UInt8], _ catalog: ProjectionCatalog) {
        self.storeID = storeID
        position = .origin
        recordChecksum = 0
        projections = Dictionary(
            uniqueKeysWithValues: catalog.entries.map {
                ($0.declaration.id, ProjectionCheckpoint($0, at: .origin))
            })
    }

    /// The projections of a catalogue whose rows match the checkpoint's position.
    func current(in catalog: ProjectionCatalog) -> ProjectionSet {
        let outdated = catalog.entries.indices.reduce(into: ProjectionSet()) { set, index in
            let entry = catalog.entries[index]
            let isCurrent = projections[entry.declaration.id]?.isCurrent(entry, at: position) ?? false
            if !isCurrent { set.formUnion(ProjectionSet(index)) }
        }
        return catalog.all.subtracting(catalog.withReaders(outdated))
    }

    /// The digests of all tables of a catalogue, by ``ViewTable/index``.
    func digests(in catalog: ProjectionCatalog) -> [UInt64] {
        var digests = [UInt64](repeating: 0, count: catalog.tables.count)
        for entry in catalog.entries {
            let stored = projections[entry.declaration.id]?.digests
            for table in entry.tables { digests[table.index] = stored?[catalog.tables[table.index].name] ?? 0 }
        }
        return digests
    }

    /// Notes that a projection's rows match the checkpoint's position.
    mutating func set(_ entry: ProjectionCatalog.Entry, digests: [UInt64]) {
        var part = ProjectionCheckpoint(entry, at: position)
        for (table, declaration) in zip(entry.tables, entry.declaration.tables) {
            part.digests[declaration.name] = digests[table.index]
        }
        projections[entry.declaration.id] = part
    }
}

/// The version, rules and position that one projection's rows are the fold of.
package struct ProjectionCheckpoint: Equatable, Sendable {
    /// The version of the projection that made the rows.
    package var version: UInt32
    /// Everything else that its rows depend on, see ``ProjectionCatalog/Entry/rules``.
    var rules: UInt64
    /// The position of the rows.
    package var position: Position
    /// For each table, by its name, the sum of its rows' hashes.
    package var digests: [String: UInt64]
}

extension ProjectionCheckpoint {
    /// The part of a projection without rows.
    init(_ entry: ProjectionCatalog.Entry, at position: Position) {
        version = entry.declaration.version
        rules = entry.rules
        self.position = position
        digests = Dictionary(uniqueKeysWithValues: entry.declaration.tables.map { ($0.name, 0) })
    }

    /// Whether the rows are a projection's rows at a position.
    func isCurrent(_ entry: ProjectionCatalog.Entry, at position: Position) -> Bool {
        version == entry.declaration.version && rules == entry.rules && self.position == position
            && Set(digests.keys) == Set(entry.declaration.tables.map(\.name))
    }
}

extension ProjectionDeclaration {
    /// Everything on which a host's rows depend but its version, in one number: its settings, policy and tables, which
    /// events it folds in which version, and the projections that it reads.
    func rulesHash(_ eventVersions: [EventType: UInt8], _ sources: [ProjectionCatalog.Entry]) -> UInt64 {
        var parts = [rules, "\(failurePolicy)"]
        if case .types(let types) = events {
            parts += types.map { "\($0.rawValue) \(eventVersions[$0] ?? 0)" }.sorted()
        }
        parts += sources.map { "\($0.declaration.id) \($0.declaration.version) \($0.rules)" }.sorted()
        return tables.compactMap(\.description).reduce(XXH64.hash(parts.joined(separator: "\u{0}"))) { hash, table in
            hash &* 31 &+ XXH64.hash(table.bytes.span.bytes)
        }
    }
}

/// A digest is the sum of the hashes of a table's rows, so it is kept up to date row by row and does not depend on
/// the order in which rows came.
enum Digest {
    static func row(_ seed: UInt64, _ key: RawSpan, _ value: RawSpan) -> UInt64 {
        XXH64.hash(value, seed: XXH64.hash(key, seed: seed))
    }

    static func row(_ seed: UInt64, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> UInt64 {
        row(seed, RawSpan(_unsafeBytes: key), RawSpan(_unsafeBytes: value))
    }

    /// The hash of the row of an identity.
    ///
    /// - Parameter position: Big-endian; nil for the entry's.
    static func identity(_ seed: UInt64, _ entry: IdentityRun.Entry, position: UInt64? = nil) -> UInt64 {
        withUnsafeBytes(of: (entry.high.bigEndian, entry.low.bigEndian)) { key in
            withUnsafeBytes(of: position ?? entry.position) { position in
                row(seed, RawSpan(_unsafeBytes: key), RawSpan(_unsafeBytes: position))
            }
        }
    }
}

extension Checkpoint {
    static let formatVersion: UInt32 = 2
    static let key: [UInt8] = Array("checkpoint".utf8)

    /// Decodes a checkpoint; nil for bytes that are none, or one of a later format.
    package init?(_ row: RawSpan) {
        switch row.load(at: 0, as: UInt32.self) {
        case Self.formatVersion: self.init(current: row)
        case 1: self.init(format1: row)
        default: return nil
        }
    }

    /// The position alone; nil for bytes that are no checkpoint.
    static func position(_ row: RawSpan) -> Position? {
        switch row.load(at: 0, as: UInt32.self) {
        case formatVersion: row.load(at: 20, as: UInt64.self).map { Position($0) }
        case 1: row.load(at: 28, as: UInt64.self).map { Position($0) }
        default: nil
        }
    }

    private init?(current row: RawSpan) {
        guard row.byteCount > 38, let position = row.load(at: 20, as: UInt64.self),
            let checksum = row.load(at: 28, as: UInt64.self), let count = row.load(at: 36, as: UInt16.self)
        else { return nil }
        var reader = CheckpointReader(row.extracting(38..<row.byteCount))
        var projections: [ProjectionID: ProjectionCheckpoint] = [:]
        for _ in 0..<count {
            guard let id = reader.name(), let version: UInt32 = reader.number(), let rules: UInt64 = reader.number(),
                let position: UInt64 = reader.number(), let tables: UInt8 = reader.number()
            else { return nil }
            var digests: [String: UInt64] = [:]
            for _ in 0..<tables {
                guard let name = reader.name(), let digest: UInt64 = reader.number() else { return nil }
                digests[name] = digest
            }
            projections[ProjectionID(rawValue: id)] = ProjectionCheckpoint(
                version: version, rules: rules, position: Position(position), digests: digests)
        }
        guard reader.isAtEnd else { return nil }
        self.init(
            storeID: row.extracting(4..<20).copied, position: Position(position), recordChecksum: checksum,
            projections: projections)
    }

    /// Decodes what version 0.1 wrote: one number for all projections, and the digests of all tables in their order.
    private init?(format1 row: RawSpan) {
        let parts = BuiltInProjections.format1.split(separator: ";").map { $0.split(separator: " ") }
        let tables = parts.flatMap { $0[2].split(separator: ",") }.map(String.init)
        guard row.load(at: 4, as: UInt64.self) == XXH64.hash(BuiltInProjections.format1),
            row.byteCount == 44 + 8 * tables.count,
            let position = row.load(at: 28, as: UInt64.self), let checksum = row.load(at: 36, as: UInt64.self)
        else { return nil }
        var projections: [ProjectionID: ProjectionCheckpoint] = [:]
        for part in parts {
            guard let version = UInt32(part[1]) else { return nil }
            let own = part[2].split(separator: ",").map(String.init)
            let digests = own.map { name in
                (name, tables.firstIndex(of: name).flatMap { row.load(at: 44 + 8 * $0, as: UInt64.self) } ?? 0)
            }
            projections[ProjectionID(rawValue: String(part[0]))] = ProjectionCheckpoint(
                version: version, rules: 0, position: Position(position),
                digests: Dictionary(uniqueKeysWithValues: digests))
        }
        self.init(
            storeID: row.extracting(12..<28).copied, position: Position(position), recordChecksum: checksum,
            projections: projections)
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(Self.formatVersion)
        writer.append(storeID)
        writer.append(position.rawValue)
        writer.append(recordChecksum)
        writer.append(UInt16(projections.count))
        for (id, part) in projections.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            writer.append(name: id.rawValue)
            writer.append(part.version)
            writer.append(part.rules)
            writer.append(part.position.rawValue)
            writer.append(UInt8(part.digests.count))
            for (name, digest) in part.digests.sorted(by: { $0.key < $1.key }) {
                writer.append(name: name)
                writer.append(digest)
            }
        }
        return writer.bytes.copied
    }
}

extension ByteWriter {
    /// A name of at most 255 bytes, which declarations ensure.
    fileprivate mutating func append(name: String) {
        append(UInt8(name.utf8.count))
        append(Array(name.utf8))
    }
}

private struct CheckpointReader: ~Escapable {
    private let bytes: RawSpan
    private var offset = 0

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.byteCount }

    mutating func number<Number: FixedWidthInteger & BitwiseCopyable>() -> Number? {
        guard let number = bytes.load(at: offset, as: Number.self) else { return nil }
        offset += MemoryLayout<Number>.size
        return number
    }

    mutating func name() -> String? {
        guard let count: UInt8 = number(), offset + Int(count) <= bytes.byteCount else { return nil }
        defer { offset += Int(count) }
        return bytes.extracting(offset..<offset + Int(count)).string
    }
}
