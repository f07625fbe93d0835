import Foundation
import Testing

@Suite(
    "chat-sync, and the charts of reports", .tool, .enabled(if: Benchmarks.areBuilt, "the benchmarks are not built"),
    .timeLimit(.minutes(30)))
struct ChatSyncTests {
    private struct Results: Decodable {
        struct Scenario: Decodable {
            let scenario: String
            let events: Int
            let peers: [Peer]
        }
        struct Peer: Decodable {
            let peer: String
            let notApplicable: String?
            let eventsPerSecond: Range?
            let ratio: Double?
            let erasureMicroseconds: Times?
            let reopening: Reopening?
        }
        struct Range: Decodable { let least, median, greatest: Double }
        struct Times: Decodable { let median, p999, longest: Double }
        struct Reopening: Decodable { let packagesAcknowledged, packagesFound: Int }

        let format: String
        let date: String
        let scenarios: [Scenario]
    }

    private let document: String

    init() throws {
        let path = DebuggingGuide.root.appendingPathComponent("Benchmarks/ChatSync.md")
        document = try String(contentsOf: path, encoding: .utf8)
    }

    @Test("all scenarios at a small scale end with equal views, and the results are those of the document")
    func small() throws {
        let directory = place.logs.directory.path
        try ToolRun(
            [
                "chat-sync", "--scale", "0.001", "--rounds", "1", "--directory", directory,
                "--json", directory + "/results.json", "--output", directory + "/report",
            ], of: Benchmarks.executable
        ).succeeded()
        let data = try Data(contentsOf: URL(fileURLWithPath: directory + "/results.json"))
        let results = try JSONDecoder().decode(Results.self, from: data)
        #expect(document.contains("\"format\": \"\(results.format)\""))
        let documented = document.matches(of: #/\| \d \| `(\w+)`: /#).map { String($0.1) }
        #expect(results.scenarios.map(\.scenario) == documented && documented.count == 6)
        for scenario in results.scenarios {
            #expect(scenario.peers.first?.peer == "MessageStore" && scenario.peers.count == 6)
            for peer in scenario.peers {
                let name = "\(scenario.scenario), \(peer.peer)"
                // A floor recognises nothing, and has no views.
                let isLeftOut =
                    peer.peer == "LMDB append" && ["again", "killed", "erasing"].contains(scenario.scenario)
                #expect((peer.notApplicable != nil) == isLeftOut, "\(name)")
                guard !isLeftOut else { continue }
                let rate = try #require(peer.eventsPerSecond, "\(name)")
                #expect(0 < rate.least && rate.least <= rate.median && rate.median <= rate.greatest, "\(name)")
                #expect(peer.peer != "GRDB" || peer.ratio == 1, "\(name)")
                #expect((peer.erasureMicroseconds != nil) == (scenario.scenario == "erasing"), "\(name)")
                #expect((peer.reopening != nil) == (scenario.scenario == "killed"), "\(name)")
                guard let reopening = peer.reopening else { continue }
                let (acknowledged, found) = (reopening.packagesAcknowledged, reopening.packagesFound)
                #expect(scenario.events / 400 <= acknowledged && acknowledged <= found, "\(name)")
            }
        }
        for key in try keys(JSONSerialization.jsonObject(with: data)) {
            #expect(document.contains("\"\(key)\"") || document.contains("`\(key)`"), "\(key)")
        }
        let chart = try String(contentsOfFile: directory + "/report/chat-sync.svg", encoding: .utf8)
        #expect(chart.contains(results.date.prefix(10)))
        try expectNoOverlaps(chart)
        let report = try String(contentsOfFile: directory + "/report/README.md", encoding: .utf8)
        #expect(report.contains("- ChatSync at a scale of"))
    }

    /// All names of members, but for those of the versions, which are names of libraries.
    private func keys(_ value: Any) -> Set<String> {
        if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(keys($1)) } }
        guard let object = value as? [String: Any] else { return [] }
        return object.reduce(into: []) { found, member in
            found.insert(member.key)
            if member.key != "versions" { found.formUnion(keys(member.value)) }
        }
    }

    @Test("long labels, many series and large values neither meet nor leave the drawing")
    func labels() throws {
        let names = (1...9).map { "a peer whose name is rather long, number \($0)" }
        let points = (0..<7).map {
            #"{"x":\#($0),"y":\#(1_234_567 * ($0 + 1)),"label":"a conversation with extraordinarily many words \#($0)"}"#
        }
        let series = names.map { #"{"name":"\#($0)","points":[\#(points.joined(separator: ","))]}"# }
        func chart(_ kind: String, _ series: ArraySlice<String>, isLogarithmic: Bool) -> String {
            let axis = #""isLogarithmic":\#(isLogarithmic)"#
            return #"{"id":"\#(kind)-\#(series.count)","title":"\#(names.joined(separator: " "))","kind":"\#(kind)","#
                + #""x":{"label":"events",\#(axis)},"y":{"label":"events/s",\#(axis)},"#
                + #""series":[\#(series.joined(separator: ","))]}"#
        }
        let charts = [
            chart("bar", series[...], isLogarithmic: true), chart("bar", series[..<1], isLogarithmic: false),
            chart("line", series[...], isLogarithmic: false),
        ]
        let machine = #"{"system":"a system","processor":"a processor","cores":2,"memoryBytes":1,"versions":{}}"#
        let report =
            #"{"machine":\#(machine),"date":"2026-01-02T03:04:05Z","command":"all","sections":[{"title":"charts","#
            + #""notes":[],"tables":[],"charts":[\#(charts.joined(separator: ","))]}]}"#
        let path = try place.logs.file(report.utf8, name: "report.json")
        let output = place.logs.directory.path + "/charts"
        try ToolRun(["report", path, "--output", output], of: Benchmarks.executable).succeeded()
        for name in ["bar-9", "bar-1", "line-9"] {
            try expectNoOverlaps(try String(contentsOfFile: "\(output)/\(name).svg", encoding: .utf8))
        }
    }

    /// Expects that no two texts of a chart meet, and that all are inside; letters are taken to be half as wide as high.
    private func expectNoOverlaps(_ chart: String) throws {
        let box = try #require(chart.firstMatch(of: #/viewBox="0 0 (\d+) (\d+)"/#))
        let (width, height) = (try #require(Double(box.1)), try #require(Double(box.2)))
        let label = #/<text x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)" font-size="(\d+)"[^>]*>([^<]*)</#
        let texts = try chart.matches(of: label).map { match in
            let (x, y) = (try #require(Double(match.1)), try #require(Double(match.2)))
            let size = try #require(Double(match.4))
            let length = Double(match.5.count) * size / 2
            let left = match.3 == "end" ? x - length : match.3 == "middle" ? x - length / 2 : x
            return (text: String(match.5), left: left, right: left + length, top: y - size * 0.8, bottom: y)
        }
        #expect(texts.count > 5)
        for (index, text) in texts.enumerated() {
            #expect(text.left >= 0 && text.right <= width && text.top >= 0 && text.bottom <= height, "\(text.text)")
            for other in texts[..<index] {
                let isApart =
                    text.right <= other.left || other.right <= text.left || text.bottom <= other.top
                    || other.bottom <= text.top
                #expect(isApart, "“\(text.text)” meets “\(other.text)”")
            }
        }
    }
}
