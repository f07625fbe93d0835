import Foundation
import MessageStore
import MessageStoreSearch

/// What a store whose index was damaged, or left by a killed process, answers; compared with a scan of the log.
struct SearchCheck {
    let path: String
    /// When pages are looked at.
    var pageCheck = ""

    /// Why an answer is not right, or nil.
    private struct Wrong: Error { let what: String }

    /// "good", and how many searches were right, not complete, and refused; or "bad" and why.
    ///
    /// - Parameter expected: What a scan answers; nil to make one.
    func answer(_ expected: [[UInt64]]? = nil, erases: Bool = false) -> String {
        do {
            var counts = Counts()
            // An erasure that was recorded and not finished is finished by an opening.
            if expected == nil { try SearchTexts.open(path, pageCheck: pageCheck).close() }
            let expected = try expected ?? SearchTexts.scan(path)
            try checkReadOnly(expected, &counts)
            let store = try SearchTexts.open(path, pageCheck: pageCheck)
            defer { try? store.close() }
            for (query, hits) in zip(SearchTexts.queries, expected) {
                try check(store, query, hits, &counts)
            }
            try Searching.catchUp(store)
            guard try store.position(of: SearchIndex.id) == store.lastPosition() else {
                throw Wrong(what: "did not catch up")
            }
            for (query, hits) in zip(SearchTexts.queries, expected) {
                let found = try SearchTexts.answer(store, query)
                guard found.isComplete, found.hits == hits else {
                    throw Wrong(what: "after catching up: \(query): \(found.hits.count) of \(hits.count)")
                }
            }
            guard try store.verify().isConsistent else { throw Wrong(what: "not consistent") }
            if erases { try erase(store) }
            return "good\t\(counts.right)\t\(counts.incomplete)\t\(counts.refused)"
        } catch let wrong as Wrong {
            return "bad: \(wrong.what)"
        } catch let error as StoreError {
            return "bad: \(error)"
        } catch {
            return "bad: untyped \(type(of: error)) \(error)"
        }
    }

    private struct Counts {
        var (right, incomplete, refused) = (0, 0, 0)
    }

    /// A process that reads only sees the same files.
    private func checkReadOnly(_ expected: [[UInt64]], _ counts: inout Counts) throws {
        var configuration = MessageStore.Configuration.ofTests
        configuration.laggingProjections = [SearchIndex()]
        if pageCheck == "always" { configuration.durability.pageCheck = .always }
        let store = try MessageStore.openReadOnly(path, configuration: configuration)
        defer { try? store.close() }
        for (query, hits) in zip(SearchTexts.queries, expected).prefix(6) {
            try check(store, query, hits, &counts)
        }
    }

    private func check(
        _ store: MessageStore, _ query: SearchQuery, _ expected: [UInt64], _ counts: inout Counts
    ) throws {
        do {
            let found = try SearchTexts.answer(store, query)
            if found.hits == expected {
                counts.right += 1
            } else if !found.isComplete, Set(found.hits).isSubset(of: expected) {
                counts.incomplete += 1
            } else {
                throw Wrong(what: "\(query): \(found.hits.count) of \(expected.count), \(found.isComplete)")
            }
        } catch is StoreError {
            counts.refused += 1
        }
    }

    /// Erases all that is to be erased; no file may have it afterwards.
    private func erase(_ store: MessageStore) throws {
        try Searching.eraseSecrets(store)
        guard try store.compact().isErasureComplete else { throw Wrong(what: "the erasure is not complete") }
        let words = SearchTexts.secret.split(separator: " ")
        let patterns = [Data(words[0].utf8.dropFirst(3)), Data(words[1].utf8.dropFirst(2))]
        let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        for file in files where !file.hasSuffix("lock.mdb") {
            guard let bytes = FileManager.default.contents(atPath: path + "/" + file) else { continue }
            for pattern in patterns where bytes.range(of: pattern) != nil {
                throw Wrong(what: "\(file) has what was erased")
            }
        }
        guard try store.verify().isConsistent else { throw Wrong(what: "not consistent after the erasure") }
    }
}
