import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("Number format")
struct NumberFormatTests {
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

    @Test("counts are grouped, one is singular, rates are a second, durations have two units, and times are ISO 8601")
    func others() {
        let counts: [(Int, String)] = [
            (0, "0"), (999, "999"), (1_000, "1,000"), (-1_000, "-1,000"), (-999, "-999"), (1_234_567, "1,234,567"),
            (.max, "9,223,372,036,854,775,807"), (.min, "-9,223,372,036,854,775,808"),
        ]
        #expect(counts.map { NumberFormat.count($0.0) } == counts.map(\.1))
        #expect([0, 1, 1_234].map { NumberFormat.count($0, "row", "rows") } == ["0 rows", "1 row", "1,234 rows"])
        #expect([0, 1, 1_234].map { NumberFormat.exactBytes($0) } == ["0 bytes", "1 byte", "1234 bytes"])
        let rates: [(Int, Duration, String)] = [
            (0, .seconds(1), "0.0/s"), (5, .seconds(2), "2.5/s"), (995, .seconds(100), "10/s"),
            (12_345, .seconds(1), "12,345/s"), (1, .zero, "-/s"), (1, .seconds(-1), "-/s"),
            (.max, .nanoseconds(1), "-/s"), (-20, .seconds(1), "-20/s"),
        ]
        #expect(rates.map { NumberFormat.rate($0.0, over: $0.1) } == rates.map(\.2))
        let durations: [(Duration, String)] = [
            (.zero, "0 µs"), (.microseconds(999), "999 µs"), (.milliseconds(350), "350 ms"), (.seconds(1), "1.0 s"),
            (.milliseconds(59_999), "59.9 s"), (.seconds(60), "1 min 00 s"), (.seconds(185), "3 min 05 s"),
            (.seconds(3_720), "1 h 02 min"), (.seconds(90_000), "1 d 1 h"), (.seconds(-5), "0 µs"),
            (.seconds(Int64.max), "106,751,991,167,300 d 15 h"),
            (.seconds(Int64.max) + .seconds(Int64.max), "106,751,991,167,300 d 15 h"),
        ]
        #expect(durations.map { NumberFormat.duration($0.0) } == durations.map(\.1))
        let times: [(Int64, String)] = [
            (0, "unknown"), (1, "1970-01-01T00:00:00.001Z"), (1_417_390_603_823, "2014-11-30T23:36:43.823Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "+10000-01-01T00:00:00.000Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z"), (.max, "+292278994-08-17T07:12:55.807Z"),
            (.min, "-292275055-05-16T16:47:04.192Z"),
        ]
        #expect(times.map { Timestamp(milliseconds: $0.0).description } == times.map(\.1))
    }
}
