#if S3
/// The answer to a request, with the failures that services like S3 document.
struct HTTPAnswer: Sendable {
    let status: Int
    let body: [UInt8]
    /// The number of bytes that the answer's header gives; negative where it gives none.
    let length: Int

    var isSuccess: Bool { (200..<300).contains(status) }

    /// The service's name of the failure, such as `NoSuchKey`; empty where it gives no name.
    var code: String {
        guard let document = S3Document(body), document.root == "Error" else { return "" }
        // Letters and digits alone, because errors show it.
        return String((document.values["Code"] ?? "").filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(64))
    }

    /// Whether another try may succeed.
    var isTransient: Bool {
        switch status {
        case 307, 408, 409, 429: true
        case 400: code == "RequestTimeout"
        case 501, 505, 507: false
        default: status >= 500
        }
    }

    /// Whether the request was refused, so that no later try can succeed either.
    var isRefusal: Bool { !isTransient && ((300..<500).contains(status) || status == 501 || status == 505) }
}
#endif
