@_spi(Storage) package import MessageStoreLog

/// What the views' environment is the fold of, written in the same transaction as its rows.
///
/// It names the log and the record at its position: where either does not fit (a restored backup, a swapped
/// directory, a log shorter than the checkpoint) the views are dropped and rebuilt.
package struct Checkpoint: Equatable, Sendable {
    package static let formatVersion: UInt32 = 1
    static let key: [UInt8] = Array("checkpoint".utf8)

    /// The id of the store whose log was folded.
    package var storeID: [UInt8]
    package var position: Position
    /// The checksum of the record at the position; 0 at the origin.
    package var recordChecksum: UInt64
    /// For each table the sum of its rows' hashes.
    package var digests: [UInt64]

    package init(storeID: [UInt8]) {
        self.storeID = storeID
        position = .origin
        recordChecksum = 0
        digests = [UInt64](repeating: 0, count: ViewTable.count)
    }

    /// Decodes a checkpoint of this version's projections; nil for every other.
    package init?(_ row: RawSpan) {
        guard row.load(at: 0, as: UInt32.self) == Self.formatVersion, row.load(at: 4, as: UInt64.self) == Self.versions,
            row.byteCount == 44 + 8 * ViewTable.count, let position = row.load(at: 28, as: UInt64.self),
            let checksum = row.load(at: 36, as: UInt64.self)
        else { return nil }
        storeID = row.extracting(12..<28).copied
        self.position = Position(position)
        recordChecksum = checksum
        digests = (0..<ViewTable.count).map { row.load(at: 44 + 8 * $0, as: UInt64.self) ?? 0 }
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(Self.formatVersion)
        writer.append(Self.versions)
        writer.append(storeID)
        writer.append(position.rawValue)
        writer.append(recordChecksum)
        for digest in digests { writer.append(digest) }
        return writer.bytes.copied
    }

    /// One number for names, versions and tables of all projections.
    static let versions: UInt64 = {
        let text = ProjectionName.allCases.map { projection in
            "\(projection.rawValue) \(projection.version) \(projection.tables.map(\.name).joined(separator: ","))"
        }
        return XXH64.hash(text.joined(separator: ";"))
    }()
}

/// A digest is the sum of the hashes of a table's rows, so it is kept up to date row by row and does not depend on
/// the order in which rows came.
enum Digest {
    static func row(_ table: ViewTable, _ key: RawSpan, _ value: RawSpan) -> UInt64 {
        XXH64.hash(value, seed: XXH64.hash(key, seed: UInt64(table.rawValue)))
    }

    /// A projection's digest, from those of its tables.
    static func combined(_ projection: ProjectionName, _ tables: [UInt64]) -> UInt64 {
        projection.tables.reduce(0) { sum, table in
            sum &* 0x9E37_79B1_85EB_CA87 &+ tables[Int(table.rawValue)]
        }
    }
}
