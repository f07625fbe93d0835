import MessageStore
import MessageStoreLMDB
@_spi(Storage) import MessageStoreLog
import MessageStoreWorkload

/// Reads records with broken bytes, their checksums put right, so that nothing but the reading itself stands in the way.
struct RecordFuzzer {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Decodes so many broken copies of a store's records; answers how many were read and how many refused.
    mutating func decode(_ path: String, _ count: Int) throws -> String {
        let log = try EventLog(path: path + "/log", configuration: .init(access: .readOnly))
        let decoder = RecordDecoder(symbols: log.symbols)
        let records = try Self.records(of: log)
        var (read, refused) = (0, 0)
        for index in 0..<count {
            let bytes = broken(records[index % records.count], records)
            guard let view = RecordView(bytes.span.bytes) else {
                refused += 1
                continue
            }
            do {
                let event = try decoder.event(from: view)
                // What is decoded later must not fail then, nor say anything else.
                guard try decoder.source(of: view).event == event else { return "differs" }
                if index % 64 == 0 { _ = "\(event)" }
                read += 1
            } catch { refused += 1 }
        }
        return "read \(read)\trefused \(refused)"
    }

    /// Puts broken records into a store's log in place of some of its own; what reads them then is the whole store.
    mutating func put(into path: String, _ count: Int) throws -> String {
        let records = try Self.records(of: EventLog(path: path + "/log", configuration: .init(access: .readOnly)))
        var changes: [(key: UInt64, bytes: [UInt8])] = []
        for _ in 0..<count {
            let index = random.nextIndex(records.count)
            changes.append((UInt64(index) + 1, broken(records[index], records)))
        }
        let environment = try Environment(path: path + "/log", configuration: .init(access: .readWrite))
        let table = try environment.openTables(["records"], create: false)[0]
        try environment.write { transaction in
            for change in changes {
                let key = withUnsafeBytes(of: change.key.bigEndian) { [UInt8]($0) }
                try transaction.put(change.bytes.span.bytes, for: key.span.bytes, in: table)
            }
        }
        return "put \(count)"
    }

    private static func records(of log: EventLog) throws -> [[UInt8]] {
        var records: [[UInt8]] = []
        let snapshot = try log.snapshot()
        try snapshot.scan(from: Position(1), to: snapshot.lastPosition()) { record in
            records.append(record.bytes.withUnsafeBytes { [UInt8]($0) })
            return .proceed
        }
        return records
    }

    /// A copy with some bytes changed behind the position, and the checksum of what it then is.
    mutating func broken(_ record: [UInt8], _ others: [[UInt8]]) -> [UInt8] {
        var bytes = record
        for _ in 0...random.nextIndex(4) {
            let index = 16 + random.nextIndex(max(bytes.count - 16, 1))
            guard index < bytes.count else { continue }
            switch random.nextIndex(6) {
            case 0: bytes[index] ^= 1 << UInt8(random.nextIndex(8))
            case 1: bytes[index] = UInt8(truncatingIfNeeded: random.next())
            case 2: bytes[index] = [0, 1, 0x7F, 0x80, 0xFF][random.nextIndex(5)]
            case 3: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: index)
            case 4: bytes.remove(at: index)
            default:
                let other = others[random.nextIndex(others.count)]
                let start = min(index, other.count)
                bytes.replaceSubrange(index..., with: other[start...])
            }
        }
        // Lengths that add up let the bytes through to the fields.
        if bytes.count >= 64, random.chance(0.8) { Self.setContentLength(&bytes) }
        guard bytes.count >= 16 else { return bytes }
        let checksum = bytes.withUnsafeBytes {
            XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[8...]), seed: 0x4D53_4C4F_4731_0000)
        }
        withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(0..<8, with: $0) }
        return bytes
    }

    private static func setContentLength(_ bytes: inout [UInt8]) {
        let known = 64 + Int(bytes[22]) + Int(bytes[23])
        let fields = (0..<4).reduce(0) { $0 | Int(bytes[56 + $1]) << (8 * $1) }
        let left = bytes.count - known
        guard left >= 0 else { return }
        let kept = min(fields, left)
        for index in 0..<4 {
            bytes[56 + index] = UInt8(truncatingIfNeeded: kept >> (8 * index))
            bytes[60 + index] = UInt8(truncatingIfNeeded: (left - kept) >> (8 * index))
        }
    }
}
