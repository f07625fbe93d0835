#if JetStream
internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension JetStreamCarrier {
    /// What it means that the server acknowledged a message.
    public enum Durability: Hashable, Sendable {
        /// Every message is on the disk before it is acknowledged.
        case everyMessage
        /// It may not be there yet, or that cannot be known; the reason, for people.
        case weaker(String)
    }

    /// Asks what a put promises.
    ///
    /// The server writes every message to the disk before it acknowledges it where its setting `sync_interval` is
    /// `always`, which servers have from version 2.10 on. No client can read the setting but by the port for monitoring;
    /// see ``Configuration/monitoring``. Of a stream with replicas, one server is asked alone.
    ///
    /// - Returns: What is known of the stream's server; `weaker` with the reason in all other cases.
    /// - Throws: `StoreError`: `carrierFailed`, `carrierRefused`, where the stream cannot be asked for.
    public func durability() async throws -> Durability {
        let stream = configuration.stream
        let (answer, server) = try await run { objects, deadline in
            try objects.call(until: deadline) {
                (try $0.answer("$JS.API.STREAM.INFO.\(stream)", until: deadline), $0.server)
            }
        }
        guard let info = try? JSONDecoder().decode(StreamAnswer.self, from: Data(answer)) else {
            return .weaker("the server's answer on the stream cannot be read")
        }
        if info.config?.persist_mode == "async" {
            return .weaker("the stream acknowledges messages before they are written (persist_mode async)")
        }
        if let replicas = info.config?.num_replicas, replicas > 1 {
            return .weaker("the stream has \(replicas) replicas, whose servers' settings were not asked for")
        }
        guard let monitoring = configuration.monitoring else {
            return .weaker("the server's sync_interval cannot be read without the URL of its monitoring")
        }
        guard let settings = await ServerAnswer.get(monitoring, configuration.timeout) else {
            return .weaker("the server's sync_interval cannot be read: its monitoring does not answer")
        }
        let isThisServer = info.cluster?.leader.map { $0 == settings.server_name } ?? (server == settings.server_id)
        guard isThisServer else { return .weaker("the monitoring is that of another server") }
        guard let jetStream = settings.jetstream?.config else {
            return .weaker("the server does not report its sync_interval")
        }
        if jetStream.sync_always == true { return .everyMessage }
        guard let interval = jetStream.sync_interval, interval > 0 else {
            return .weaker("the server, of version \(settings.version ?? "unknown"), reports no sync_interval")
        }
        return .weaker(
            "the server writes to the disk every \(Duration.nanoseconds(interval)); its sync_interval is not always")
    }

    /// What the server says of itself, with the names that it uses.
    private struct ServerAnswer: Decodable {
        struct JetStream: Decodable { let config: Settings? }
        struct Settings: Decodable {
            let sync_interval: Int64?
            let sync_always: Bool?
        }
        let server_id: String?
        let server_name: String?
        let version: String?
        let jetstream: JetStream?

        static func get(_ monitoring: String, _ timeout: Duration) async -> Self? {
            guard let url = URL(string: monitoring)?.appendingPathComponent("varz") else { return nil }
            let request = URLRequest(url: url, timeoutInterval: Double(timeout.components.seconds) + 1)
            guard let (data, _) = try? await URLSession.shared.data(for: request) else { return nil }
            return try? JSONDecoder().decode(Self.self, from: data)
        }
    }
}
#endif
