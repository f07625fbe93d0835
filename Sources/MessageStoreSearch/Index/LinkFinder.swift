/// Finds addresses of the web in a text: `http://`, `https://` or `www.`, in any case.
enum LinkFinder {
    static func hasLink(_ text: UnsafeRawBufferPointer) -> Bool {
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: ":"):
                if follows(text, index, "//"), precedes(text, index, "http") || precedes(text, index, "https") {
                    return true
                }
            case UInt8(ascii: "."):
                if precedes(text, index, "www") { return true }
            default: break
            }
        }
        return false
    }

    private static func follows(_ text: UnsafeRawBufferPointer, _ index: Int, _ expected: StaticString) -> Bool {
        text[(index + 1)...].starts(with: expected.bytes)
    }

    private static func precedes(_ text: UnsafeRawBufferPointer, _ index: Int, _ expected: StaticString) -> Bool {
        let bytes = expected.bytes
        guard index >= bytes.count else { return false }
        // ASCII letters differ from their capitals in one bit.
        return zip(text[(index - bytes.count)..<index], bytes).allSatisfy { $0 | 0x20 == $1 }
    }
}

extension StaticString {
    fileprivate var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}
