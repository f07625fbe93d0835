/// Why a call failed.
enum AVIMError: Error, Equatable {
    /// The client is not open.
    case notOpen
    /// The service refused, or did not answer (408).
    case server(Int32)
    /// The key of a query is none of the service's.
    case unknownKey(String)
}
