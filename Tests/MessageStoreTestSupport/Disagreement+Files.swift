import MessageStore

extension Disagreement {
    /// Compares the files that the device keeps, page by page, and their totals.
    static func checkFiles(_ views: borrowing Views, _ model: StoreModel) throws {
        for key in model.world.map(Optional.some) + [nil] {
            let place = key.map { "\($0)" } ?? "all conversations"
            for order in LocalFileOrder.allCases {
                let expected = model.localFiles(in: key, by: order)
                var files: [LocalFile] = []
                while case let page = try views.localFiles(in: key, by: order, after: files.last, limit: 3).elements,
                    !page.isEmpty, files.count <= expected.count
                {
                    files += page
                }
                try check("files in \(place), \(order)", files, expected)
                try check(
                    "totals of files in \(place)", try views.localFileTotals(of: key),
                    LocalFileTotals(count: expected.count, byteCount: expected.reduce(0) { $0 + $1.byteCount }))
            }
        }
    }
}
