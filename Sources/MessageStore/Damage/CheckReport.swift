/// The result of checking a whole store.
public struct CheckReport: Sendable, Hashable {
    /// Something that is not as it should be.
    public struct Finding: Sendable, Hashable {
        /// The kind of damage.
        public let code: StoreError.Code
        /// The file: `identity.json`, `log/data.mdb` or `views/data.mdb`.
        public let file: String
        /// The position in the log, if it is about one.
        public let position: Position?
        /// The problem, in words; never the text of a message.
        public let message: String

        /// A remedy, in words.
        public var remedy: String {
            switch code {
            case .viewsDamaged: "rebuild the views from the log; nothing is lost"
            case .logRolledBack: "restore the newer log, or accept the older one"
            case .newerFormat: "use a newer version"
            case .erasureUnfinished: "open the store for writing; nothing is damaged"
            default: "restore the store from a backup, or salvage what can be read into a new one"
            }
        }
    }

    /// Records that were read in the order of the log, with a checksum that fits.
    public internal(set) var scannedRecords = 0
    /// Records that were found by their position as well.
    public internal(set) var recordsByPosition = 0
    /// Strings that the log holds under a number, and whose number is found by the string.
    public internal(set) var symbols = 0
    /// The position at which the views were compared with a replay; nil where they were not, because there are none, or
    /// the log is damaged.
    public internal(set) var comparedPosition: Position?
    /// The first findings, up to the requested limit.
    public internal(set) var findings: [Finding] = []
    /// How many findings there are in all.
    public internal(set) var findingCount = 0

    /// Whether nothing was found.
    public var isSound: Bool { findingCount == 0 }
}
