import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Timestamps and dates")
struct TimestampDateTests {
    @Test(
        "a timestamp and its date are the same millisecond",
        arguments: [0, 1, 999, 1_700_000_000_123, Timestamp.latest.milliseconds])
    func roundTrip(milliseconds: Int64) {
        let date = ms(milliseconds).date
        #expect(abs(date.timeIntervalSince1970 - Double(milliseconds) / 1000) < 0.0001)
        #expect(Timestamp(date) == ms(milliseconds))
    }

    @Test(
        "the nearest millisecond; a date that cannot be one is refused when it is recorded, not here",
        arguments: [
            (1.0004, 1000), (1.0006, 1001), (-1, -1000), (.infinity, .max), (-.infinity, .min), (.nan, .min),
        ] as [(Double, Int64)])
    func rounding(seconds: Double, milliseconds: Int64) throws {
        let time = Timestamp(Date(timeIntervalSince1970: seconds))
        #expect(time == ms(milliseconds))
        guard !(0...Timestamp.latest.milliseconds).contains(milliseconds) else { return }
        try withTemporaryStore { store throws in
            expectError(.invalidArgument) { try store.record(received("m", at: time.milliseconds)) }
        }
    }
}
