#if JetStream
/// What a server answers on a stream and the library does not read, with the server's names.
struct StreamAnswer: Decodable {
    struct Settings: Decodable {
        let num_replicas: Int?
        let persist_mode: String?
    }
    struct Cluster: Decodable { let leader: String? }

    let config: Settings?
    let cluster: Cluster?
}
#endif
