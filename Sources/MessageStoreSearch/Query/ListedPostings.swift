internal import MessageStoreLMDB

/// A list in memory.
final class ListedPostings: Postings {
    private let list: [UInt64]
    private var index = 0

    /// - Parameter list: The highest first.
    init(_ list: [UInt64]) {
        self.list = list
        super.init()
        current = list.first
        estimate = UInt64(list.count)
    }

    override func advance(to highest: UInt64) {
        // Mostly the next one.
        while index < list.count, list[index] > highest { index += 1 }
        current = index < list.count ? list[index] : nil
    }
}

extension ListedPostings {
    /// The messages of all grams of a run that begin so.
    convenience init(beginning: [UInt8], in run: SearchRun, _ rows: borrowing LaggingSnapshot) throws {
        var reader = ChunkReader(run, try rows.transaction.unboundCursor(in: rows.table))
        var positions: [UInt64] = []
        var isFound = try beginning.withUnsafeBytes { try reader.seek($0, from: .max) }
        while isFound, reader.gram.starts(with: beginning) {
            try reader.appendPositions(to: &positions)
            isFound = try reader.next()
        }
        self.init(Self.descending(positions))
    }

    /// Each number once, the highest first: by a bit for each where there are many, else by sorting.
    private static func descending(_ numbers: [UInt64]) -> [UInt64] {
        guard let lowest = numbers.min(), let highest = numbers.max() else { return [] }
        let words = (highest - lowest) / 64 + 1
        guard words < numbers.count else { return Set(numbers).sorted(by: >) }
        var bits = [UInt64](repeating: 0, count: Int(words))
        for number in numbers { bits[Int((number - lowest) / 64)] |= 1 << ((number - lowest) % 64) }
        var list: [UInt64] = []
        list.reserveCapacity(numbers.count)
        for index in bits.indices.reversed() {
            var word = bits[index]
            while word != 0 {
                let bit = 63 - word.leadingZeroBitCount
                list.append(lowest + UInt64(index) * 64 + UInt64(bit))
                word &= ~(1 << bit)
            }
        }
        return list
    }
}
