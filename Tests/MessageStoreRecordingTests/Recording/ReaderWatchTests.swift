import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Reads that stay open")
struct ReaderWatchTests {
    @Test(
        "a read that stays open while much is recorded is warned of, with the growth; others are not",
        arguments: [true, false])
    func warns(staysOpen: Bool) throws {
        let lines = LoggedLines()
        try withTemporaryStore { configuration in
            configuration.logger = lines.logger
        } _: { store in
            let (open, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let reader = Thread {
                try? store.read { _ in
                    open.signal()
                    if staysOpen { done.wait() }
                }
                done.signal()
            }
            reader.start()
            open.wait()
            for index in 0..<2 * 1024 {
                try store.record(received("m\(index)", at: Int64(index)))
                // Commits what is in the journal.
                if index.isMultiple(of: 64) { try store.flush() }
            }
            if staysOpen { done.signal() }
            done.wait()
        }
        let warnings = lines.all.map(\.metadata).filter { $0["bytesGrown"] != nil }
        #expect(warnings.isEmpty != staysOpen)
        if staysOpen {
            let grown = warnings.last.flatMap { $0["bytesGrown"] }.flatMap { Int($0) } ?? 0
            #expect(grown > 16 * 4096)
        }
    }
}
