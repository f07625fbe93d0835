/// Which pages of a data file the trees hold and which are free, as far as trees and list can be read.
struct PageStandings {
    private var standings: [PageSalvage.Standing]

    init(_ file: PageSalvage) {
        standings = [PageSalvage.Standing](repeating: .unreached, count: file.pageCount)
        let metas = [0, 1].compactMap { file.meta($0) }.sorted { $0.transaction > $1.transaction }
        guard let newest = metas.first else { return }
        mark(newest.mainRoot, in: file) { _, _ in }
        var free: [UInt64] = []
        mark(newest.freeRoot, in: file) { page, entry in
            guard let bytes = file.value(of: entry, in: page) else { return }
            // The number of pages, and their numbers.
            for offset in stride(from: 8, through: bytes.count - 8, by: 8) {
                free.append(bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
        }
        for number in free {
            guard let number = Int(exactly: number), number < standings.count, standings[number] != .live else {
                continue
            }
            standings[number] = .free
        }
    }

    subscript(number: Int) -> PageSalvage.Standing { standings[number] }

    /// Marks what a root leads to; pages that are damaged end a branch, and none is looked at twice.
    private mutating func mark(
        _ root: UInt64, in file: PageSalvage, _ visit: (SalvagedPage, SalvagedPage.Entry) -> Void
    ) {
        var waiting = [root]
        while let next = waiting.popLast() {
            guard let number = Int(exactly: next), number < standings.count, standings[number] != .live,
                let page = file.page(number)
            else { continue }
            standings[number] = .live
            if page.isBranch { waiting += page.children }
            guard page.isLeaf else { continue }
            for entry in page.entries {
                switch entry.value {
                case .table(let root): waiting.append(root)
                case .overflow(let first, _): markRun(first, in: file)
                case .inPage: break
                }
                visit(page, entry)
            }
        }
    }

    private mutating func markRun(_ first: UInt64, in file: PageSalvage) {
        guard let number = Int(exactly: first), file.page(number)?.isOverflow == true else { return }
        standings[number] = .live
    }
}

extension PageSalvage {
    /// The bytes of an entry's value; nil where they cannot be read.
    func value(of entry: SalvagedPage.Entry, in page: SalvagedPage) -> [UInt8]? {
        switch entry.value {
        case .inPage(let range): page.span(range).withUnsafeBytes { [UInt8]($0) }
        case .overflow(let first, let count): overflowPlace(first, count).flatMap { try? read($0) }
        case .table: nil
        }
    }
}
