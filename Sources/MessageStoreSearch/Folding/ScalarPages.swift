/// The arrays of ``ScalarFoldings``, while they are made of ``FoldingTable``.
struct ScalarPages {
    /// For each page of 256 scalars, where its entries begin.
    private(set) var starts: [UInt32] = []
    /// For each scalar of a page, the class in the lower two bits, and the index of its results in the others.
    private(set) var entries: [UInt16] = []
    /// For each scalar that does not fold to itself, the number of its results and then these. An index is that of the
    /// first result, so that 0 means that there is none.
    private(set) var results: [UInt32] = []

    init() {
        let foldings = Self.foldings()
        addPages(withFoldings: Set(foldings.map { $0.scalar >> 8 }))
        for (scalar, folded) in foldings {
            results.append(UInt32(folded.count))
            let resultClass = folded.count == 1 ? entries[entryIndex(of: folded[folded.startIndex])] : 0
            entries[entryIndex(of: scalar)] = UInt16(results.count) << 2 | resultClass
            results += folded
        }
    }

    func entryIndex(of scalar: UInt32) -> Int { Int(starts[Int(scalar >> 8)] + scalar & 0xFF) }

    /// Adds the class of each scalar. Pages of one class share their entries, but for those `withFoldings`.
    private mutating func addPages(withFoldings: Set<UInt32>) {
        var runs = FoldingTable.classRuns.makeIterator()
        var runClass: UInt16 = 0
        var runEnd: UInt32 = 0
        var sharedStarts: [UInt16: UInt32] = [:]
        for first in stride(from: UInt32(0), to: 0x110000, by: 256) {
            let isShared = runEnd >= first + 256 && !withFoldings.contains(first >> 8)
            if isShared, let start = sharedStarts[runClass] {
                starts.append(start)
                continue
            }
            starts.append(UInt32(entries.count))
            if isShared { sharedStarts[runClass] = UInt32(entries.count) }
            for scalar in first..<first + 256 {
                if scalar == runEnd, let run = runs.next() {
                    runClass = UInt16(run & 3)
                    runEnd += run >> 2
                }
                entries.append(runClass)
            }
        }
    }

    private static func foldings() -> [(scalar: UInt32, results: ArraySlice<UInt32>)] {
        var foldings: [(scalar: UInt32, results: ArraySlice<UInt32>)] = []
        let runs = FoldingTable.runs
        for index in stride(from: 0, to: runs.count, by: 3) {
            let (first, form, result) = (runs[index], runs[index + 1], runs[index + 2])
            for number in 0..<(form >> 4) {
                foldings.append((first + number * (form >> 2 & 3), [result + number * (form & 3)]))
            }
        }
        forEach(in: FoldingTable.stretches) { first, results in
            for (scalar, result) in zip(first..., results.indices) where results[result] != scalar {
                foldings.append((scalar, results[result...result]))
            }
        }
        forEach(in: FoldingTable.sequences) { foldings.append(($0, $1)) }
        return foldings
    }

    /// Calls `body` with each scalar of an array and the numbers that follow it; the array has their count.
    private static func forEach(in array: [UInt32], _ body: (UInt32, ArraySlice<UInt32>) -> Void) {
        var index = 0
        while index < array.count {
            let end = index + 2 + Int(array[index + 1])
            body(array[index], array[(index + 2)..<end])
            index = end
        }
    }
}
