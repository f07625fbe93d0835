internal import MessageStoreLMDB

extension Timestamp {
    /// The system clock's time.
    public static var now: Timestamp {
        let sinceEpoch = SystemClock.sinceEpoch()
        return Timestamp(milliseconds: sinceEpoch.seconds * 1000 + sinceEpoch.nanoseconds / 1_000_000)
    }
}
