/// The digest of lines in their order: the XXH64 of each line's bytes, seeded with the digest of the lines before it.
struct LineDigest {
    private var value: UInt64 = 0

    /// Adds a line, without its line feed.
    mutating func add(_ line: some Sequence<UInt8>) {
        let before = value
        let hash = line.withContiguousStorageIfAvailable { XXH64.hash(UnsafeRawBufferPointer($0), seed: before) }
        value = hash ?? Array(line).withUnsafeBytes { XXH64.hash($0, seed: before) }
    }

    var text: String { value.hexadecimal() }
}
