/// The checks that a data file must pass before LMDB maps it.
///
/// LMDB trusts its file: a truncated one ends in SIGBUS, a damaged page in SIGSEGV or an assertion, an empty file
/// becomes a new store, and a damaged meta page silently opens an older snapshot. The checks follow LMDB 0.9's layout
/// on 64 bits (`mdb.c`: `MDB_page`, `MDB_node`, `MDB_meta`, `MDB_db`) and its documented rule that each page up to the
/// last is used once or on the list of free pages.
///
/// Always:
///
/// - both meta pages carry magic, version and one page size, and possible sizes;
/// - the number of a meta page's transaction has the parity of its slot, and the two numbers differ by one (both are 0
///   in a new file);
/// - the newest record of the list of free pages is of the newer meta page's own transaction, as each commit frees a
///   page; the older meta page does not lead to what a later commit wrote.
///
/// On a walk over the pages, besides, see ``TreeWalk``. There is always one where the file is shorter than the newer
/// meta page says.
package enum Preflight {
    /// The result of a check.
    package struct Report: Sendable {
        /// The transaction that the file is at.
        package let transaction: UInt64
        /// Bytes of the pages that were walked; 0 without a walk.
        package let walkedBytes: Int
    }

    /// Checks the file at `path`.
    ///
    /// - Parameter walks: Whether all pages are looked at.
    /// - Throws: ``LMDBError`` with code `failedPreflight`, or ``FileError``.
    package static func check(_ path: String, walks: Bool) throws -> Report {
        let file = try DataFile(path)
        let (newer, older) = try metaPages(of: file)
        try checkAges(file, newer, older)
        guard walks || newer.lastPage >= file.pageCount else {
            return Report(transaction: newer.transaction, walkedBytes: 0)
        }
        var walk = try TreeWalk(file, newer)
        try walk.run()
        return Report(transaction: newer.transaction, walkedBytes: walk.pages * file.pageSize)
    }

    /// The transaction that the file at `path` is at.
    static func transaction(of path: String) throws -> UInt64 {
        try metaPages(of: DataFile(path)).newer.transaction
    }

    private static func metaPages(of file: DataFile) throws -> (newer: MetaPage, older: MetaPage) {
        let (first, second) = try MetaPage.both(of: file)
        let isNew = first.transaction == 0 && second.transaction == 0
        let (newer, older) = first.transaction >= second.transaction ? (first, second) : (second, first)
        guard isNew || newer.transaction - older.transaction == 1 else {
            throw failure(file.path, "the meta pages are of different ages")
        }
        return (newer, older)
    }

    /// Holds the numbers of the meta pages against the lists of free pages that they lead to.
    ///
    /// A commit notes the pages that it frees under its own number, and each but the first frees one. So a number that
    /// was changed shows. One case is left: LMDB itself takes back the number of a meta page, and the last page, if
    /// writing it failed; that and a changed number look alike in a commit that did not make the file longer.
    private static func checkAges(_ file: DataFile, _ newer: MetaPage, _ older: MetaPage) throws {
        let listed = try newestFree(in: file, newer)
        guard listed == newer.transaction || listed == 0 && newer.transaction <= 1 else {
            throw failure(file.path, "the newer meta page is not of the commit that it names")
        }
        guard older.lastPage <= newer.lastPage else {
            throw failure(file.path, "the last commit is missing: the older meta page is of a later one")
        }
    }

    /// The transaction of the newest record of the list of free pages; 0 if the list is empty.
    private static func newestFree(in file: DataFile, _ meta: MetaPage) throws -> UInt64 {
        guard meta.free.root != TreeRecord.noPage else { return 0 }
        var number = meta.free.root
        for _ in 0..<TreeWalk.maximumDepth {
            guard number >= 2, number < UInt64(file.pageCount) else { break }
            let page = Page(start: try file.page(Int(number)), size: file.pageSize)
            guard page.number == number, page.hasBounds, page.nodeCount > 0, let node = page.node(page.nodeCount - 1)
            else { break }
            if page.flags == Page.leaf {
                guard node.keySize == 8 else { break }
                return page.load(node.offset + Page.Node.headerSize, UInt64.self)
            }
            guard page.flags == Page.branch else { break }
            number = node.child
        }
        throw failure(file.path, "the list of free pages cannot be read")
    }

    static func failure(_ path: String, _ detail: String) -> LMDBError {
        LMDBError(.failedPreflight, operation: "check", path: path, detail: detail)
    }
}
