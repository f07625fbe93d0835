import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("Number format")
struct NumberFormatTests {
    @Test(
        arguments: [
            (0, "0"), (999, "999"), (1_000, "1,000"), (-1_000, "-1,000"), (-999, "-999"), (1_234_567, "1,234,567"),
            (.max, "9,223,372,036,854,775,807"), (.min, "-9,223,372,036,854,775,808"),
        ] as [(Int, String)]
    )
    func countsAreGrouped(value: Int, expected: String) {
        #expect(NumberFormat.count(value) == expected)
    }

    @Test(arguments: [(0, "0 rows", "0 bytes"), (1, "1 row", "1 byte"), (1_234, "1,234 rows", "1234 bytes")])
    func oneIsSingular(value: Int, rows: String, bytes: String) {
        #expect(NumberFormat.count(value, "row", "rows") == rows)
        #expect(NumberFormat.exactBytes(value) == bytes)
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (1_049, "1.0 kB"), (1_050, "1.1 kB"),
            (999_949, "999.9 kB"), (999_950, "1.0 MB"), (12_345_678, "12.3 MB"), (5_000_000_000, "5.0 GB"),
            (999_999_999_999_999_999, "1.0 EB"), (.max, "18.4 EB"),
        ] as [(UInt64, String)]
    )
    func bytesHaveAUnit(value: UInt64, expected: String) {
        #expect(NumberFormat.bytes(value) == expected)
    }

    @Test(
        arguments: [
            (0, .seconds(1), "0.0/s"), (5, .seconds(2), "2.5/s"), (995, .seconds(100), "10/s"),
            (12_345, .seconds(1), "12,345/s"), (1, .zero, "-/s"), (1, .seconds(-1), "-/s"),
            (.max, .nanoseconds(1), "-/s"), (-20, .seconds(1), "-20/s"),
        ] as [(Int, Duration, String)]
    )
    func ratesAreASecond(count: Int, duration: Duration, expected: String) {
        #expect(NumberFormat.rate(count, over: duration) == expected)
    }

    @Test(
        arguments: [
            (.zero, "0 µs"), (.microseconds(999), "999 µs"), (.milliseconds(350), "350 ms"), (.seconds(1), "1.0 s"),
            (.milliseconds(59_999), "59.9 s"), (.seconds(60), "1 min 00 s"), (.seconds(185), "3 min 05 s"),
            (.seconds(3_720), "1 h 02 min"), (.seconds(90_000), "1 d 1 h"), (.seconds(-5), "0 µs"),
            (.seconds(Int64.max), "106,751,991,167,300 d 15 h"),
            (.seconds(Int64.max) + .seconds(Int64.max), "106,751,991,167,300 d 15 h"),
        ] as [(Duration, String)]
    )
    func durationsHaveTwoUnits(value: Duration, expected: String) {
        #expect(NumberFormat.duration(value) == expected)
    }

    @Test(
        arguments: [
            (0, "unknown"), (1, "1970-01-01T00:00:00.001Z"), (1_417_390_603_823, "2014-11-30T23:36:43.823Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "+10000-01-01T00:00:00.000Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z"), (.max, "+292278994-08-17T07:12:55.807Z"),
            (.min, "-292275055-05-16T16:47:04.192Z"),
        ] as [(Int64, String)]
    )
    func timesAreISO8601(ms: Int64, expected: String) {
        #expect(Timestamp(milliseconds: ms).description == expected)
    }
}
