import MessageStoreLog
import MessageStoreWorkload

/// A segment of one frame, taken apart to be changed and put together again with the right lengths and checksums.
struct SegmentParts {
    private static let headerSize = 64
    private static let recordHeader = 64
    private static let checksumSeed: UInt64 = 0x4D53_4A52_4E4C_0000

    private var header: [UInt8]
    private var symbols: [UInt8]
    private var records: [[UInt8]]

    /// - Returns: nil where the bytes are no segment.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > Self.headerSize else { return nil }
        header = Array(bytes[..<Self.headerSize])
        let first = Self.headerSize + Self.number(header, at: 56)
        let end = first + Self.number(header, at: 60)
        guard end <= bytes.count else { return nil }
        symbols = Array(bytes[Self.headerSize..<first])
        records = []
        var rest = bytes[first..<end]
        while rest.count >= Self.recordHeader {
            let record = Array(rest)
            let count =
                Self.recordHeader + Int(record[22]) + Int(record[23]) + Self.number(record, at: 56)
                + Self.number(record, at: 60)
            guard count <= record.count else { return nil }
            records.append(Array(record[..<count]))
            rest = rest.dropFirst(count)
        }
    }

    /// Changes the header, the symbols or the records.
    mutating func change(_ mutations: inout Mutations, _ fuzzer: inout RecordFuzzer) {
        let index = mutations.random.nextIndex(records.count)
        switch mutations.random.nextIndex(6) {
        case 0:
            // The store, the use, the positions; the lengths are put right.
            let broken = mutations.broken(Array(header[16..<56]), [header]) + [UInt8](repeating: 0, count: 40)
            header.replaceSubrange(16..<56, with: broken[..<40])
        case 1: symbols = mutations.broken(symbols, [symbols, records[index]])
        case 2: records.remove(at: index)
        case 3: records.swapAt(index, mutations.random.nextIndex(records.count))
        default: records[index] = fuzzer.broken(records[index], records)
        }
    }

    var bytes: [UInt8] {
        var bytes = header + symbols + records.joined()
        for (number, place) in [(symbols.count, 56), (bytes.count - Self.headerSize - symbols.count, 60)] {
            for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
        }
        let checksum = bytes.withUnsafeBytes {
            XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[16...]), seed: Self.checksumSeed)
        }
        withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(8..<16, with: $0) }
        return bytes + [UInt8](repeating: 0, count: (64 - bytes.count % 64) % 64)
    }

    private static func number(_ bytes: [UInt8], at place: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
}
