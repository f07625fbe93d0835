import Testing

@testable import MessageStoreTool

/// What doctor says of one symptom.
struct DoctorFinding {
    var count = 0
    var positions: [Int] = []
    var conversations: [String] = []
    var notes: [String] = []
    var command = ""
    var shared: [String: String] = [:]
    var since: Int?
    var lastGood: Int?

    init(_ object: [String: Any] = [:]) {
        let (first, trail) = (object["first"] as? [[String: Any]] ?? [], object["trail"] as? [String: Any] ?? [:])
        count = object["count"] as? Int ?? 0
        positions = first.compactMap { $0["position"] as? Int }
        conversations = first.compactMap { $0["conversation"] as? String }
        notes = first.compactMap { $0["note"] as? String }
        command = object["command"] as? String ?? ""
        shared = trail["shared"] as? [String: String] ?? [:]
        since = trail.object("since")["position"] as? Int
        lastGood = trail.object("lastGood")["position"] as? Int
    }

    /// Runs the command that looks closer, and expects that it shows something.
    func closer() throws -> ToolRun {
        let run = try ToolRun(command.split(separator: " ").dropFirst().map { String($0) }).succeeded()
        #expect(!run.output.isEmpty, "\(command)")
        return run
    }
}

extension ToolPlace {
    /// What doctor finds, by symptom; what messages say is in none of it.
    func findings(_ options: String...) throws -> [Symptom: DoctorFinding] {
        let run = try run(["doctor", "--json", "--without-effect"], options).succeeded()
        #expect(!run.output.contains("secret"))
        return try Dictionary(
            uniqueKeysWithValues: run.objects().map { object in
                (try #require(Symptom(rawValue: object["symptom"] as? String ?? "")), DoctorFinding(object))
            })
    }
}
