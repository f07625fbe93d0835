import MessageStore

extension Disagreement {
    /// Compares the files that the device keeps, page by page, and their totals.
    static func checkFiles(_ views: borrowing Views, _ model: StoreModel) throws {
        for key in model.world.map(Optional.some) + [nil] {
            let place = key.map { "\($0)" } ?? "all conversations"
            for order in LocalFileOrder.allCases {
                let expected = model.localFiles(in: key, by: order)
                let files = try views.all(atMost: expected.count) {
                    try $0.localFiles(in: key, by: order, after: $1, limit: 3)
                }
                try check("files in \(place), \(order)", files, expected)
                try check(
                    "totals of files in \(place)", try views.localFileTotals(of: key),
                    LocalFileTotals(count: expected.count, byteCount: expected.reduce(0) { $0 + $1.byteCount }))
            }
        }
    }
}
