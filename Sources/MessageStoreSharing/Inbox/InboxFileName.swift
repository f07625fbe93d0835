internal import MessageStoreLMDB

/// Names of files in an inbox: the time, the process, a random number and a counter, so that no two are equal and their
/// order is that in which they were made, as far as clocks agree.
enum InboxFileName {
    /// The digits of each part.
    private static let digits = [16, 8, 16, 8]
    private static let counter = Locked(UInt32(0))

    static func next() -> String {
        let (seconds, nanoseconds) = SystemClock.sinceEpoch()
        let count = counter.withLock { count in
            count &+= 1
            return count
        }
        let parts = [
            UInt64(clamping: seconds) &* 1_000_000 &+ UInt64(clamping: nanoseconds / 1000),
            UInt64(UInt32(bitPattern: getpid())), UInt64.random(in: .min ... .max), UInt64(count),
        ]
        return zip(parts, digits).map { $0.hexadecimal(digits: $1) }.joined(separator: "-")
    }

    static func isValid(_ name: String) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == digits.count
            && zip(parts, digits).allSatisfy { part, digits in
                part.utf8.count == digits
                    && part.utf8.allSatisfy {
                        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
                    }
            }
    }
}
