package import MessageStoreSealing

/// Opens sealed values of a data file whose trees may be broken.
///
/// The rows of openings are found page by page, as all entries are. They have no checksum, and one number may have been
/// given twice, so that each row with the number of a value is tried: the seal proves it.
package final class SealSalvage {
    /// A file has more rows with one number only if somebody put them there.
    private static let rowsOfNumber = 8

    /// Empty if the row of the environment's key is lost: then nothing opens.
    private let seals: [TableSeal]
    private let key: SecretKey
    private let salts: [UInt32: [[UInt8]]]
    /// The ciphers of the opening that was needed last: mostly that of the next value, too.
    private var last: (number: UInt32, ciphers: [AuthenticatedCipher]) = (0, [])
    /// Memory for the associated bytes of one seal.
    private let associated = ReusedMemory()
    /// The openings by which a value was opened.
    private var proven: Set<UInt32> = []
    private var refused: [(key: [UInt8], opening: UInt32)] = []

    /// Finds the openings in a file.
    ///
    /// - Parameters:
    ///   - key: The key of the environment's configuration.
    ///   - forms: The forms of the tables whose values are sealed.
    package init(
        of file: PageSalvage, key: SecretKey, forms: [String: SealedForm],
        progress: (_ page: Int, _ pages: Int) throws -> Void
    ) throws {
        var own: SecretKey?
        var salts: [UInt32: [[UInt8]]] = [:]
        try file.forEachEntry(progress: progress) { rowKey, value, _, _ in
            guard rowKey.byteCount == 4, value.byteCount <= 2 * EnvironmentSealer.saltSize else { return }
            let number = UInt32(bigEndian: rowKey.unsafeLoadUnaligned(as: UInt32.self))
            let row = value.withUnsafeBytes { [UInt8]($0) }
            if Self.isRowOfKey(rowKey, value) {
                own = own ?? EnvironmentSealer.key(key, checkedBy: row)
            } else if row.count == EnvironmentSealer.saltSize {
                let known = salts[number, default: []]
                if known.count < Self.rowsOfNumber, !known.contains(row) { salts[number] = known + [row] }
            }
        }
        (self.key, self.salts) = (own ?? key, salts)
        seals = own.map { own in forms.map { TableSeal($0.key, $0.value, own) } } ?? []
    }

    /// Whether an entry looks like the row from which the key of an environment follows.
    package static func isRowOfKey(_ key: RawSpan, _ value: RawSpan) -> Bool {
        key.byteCount == 4 && value.byteCount == 2 * EnvironmentSealer.saltSize
            && key.unsafeLoadUnaligned(as: UInt32.self) == 0
    }

    /// The keys of values with a checksum that fits and a seal that does not, by an opening that sealed others.
    package var forgedKeys: [[UInt8]] { refused.filter { proven.contains($0.opening) }.map(\.key) }

    /// Opens a stored value of any of the tables.
    ///
    /// - Returns: Its row; nil if no known opening sealed the value for the stored key.
    package func open(_ value: RawSpan, of key: RawSpan) -> (key: [UInt8], value: [UInt8])? {
        let (stored, key) = (value.withUnsafeBytes { $0 }, key.withUnsafeBytes { $0 })
        guard let size = TableSeal.openedSize(stored) else { return nil }
        let number = TableSeal.opening(of: stored)
        if last.number != number {
            last = (number, salts[number, default: []].map { self.key.cipher($0) })
        }
        return withUnsafeTemporaryAllocation(byteCount: max(size, 1), alignment: 16) { memory in
            for (seal, cipher) in seals.flatMap({ seal in last.ciphers.map { (seal, $0) } }) {
                guard let start = memory.baseAddress,
                    seal.open(stored, of: key, to: start, by: .passUnretained(cipher), associated)
                else { continue }
                proven.insert(number)
                return seal.row(key, UnsafeRawBufferPointer(start: start, count: size)).map { ($0, [UInt8]($1)) }
            }
            if seals.contains(where: { $0.hasChecksum && $0.isIntact(stored, of: key) }) {
                refused.append(([UInt8](key), number))
            }
            return nil
        }
    }
}
