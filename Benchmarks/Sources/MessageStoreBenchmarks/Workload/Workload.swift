internal import Foundation
internal import MessageStoreWorkload

/// Which events are synced: generated ones, or those of a real chat log.
enum Workload {
    case fitted
    case stress
    /// The file of a log.
    case log(String)

    /// What the tables call it.
    var name: String {
        switch self {
        case .fitted: "fitted workload"
        case .stress: "stress workload"
        case .log(let path): URL(fileURLWithPath: path).lastPathComponent
        }
    }

    /// The options that ``WorkloadOptions`` reads it from.
    var arguments: [String] {
        switch self {
        case .fitted: []
        case .stress: ["--stress"]
        case .log(let path): ["--log", path]
        }
    }

    func backlog(events: Int) throws -> Backlog {
        switch self {
        case .fitted: .fitted(events: events)
        case .stress: .stress(events: events)
        case .log(let path): try ChatLogReader.backlog(path, limit: events)
        }
    }
}

extension Backlog {
    static func fitted(events: Int) -> Backlog { Backlog(.fitted, events: events, name: Workload.fitted.name) }
    static func stress(events: Int) -> Backlog { Backlog(.stress, events: events, name: Workload.stress.name) }
}
