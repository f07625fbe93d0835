import Foundation
import Testing

@Suite(
    "messagestore watch with a command", .enabled(if: ToolRun.executable != nil, "the tool is not built"),
    .timeLimit(.minutes(30)))
struct CommandSearchTests {
    private let place: ToolPlace

    init() throws { place = try ComplaintStore().place }

    private func search(_ script: String, _ options: String...) throws -> ToolRun {
        try ToolRun(["watch", place.store] + options + ["--", "sh", "-c", script])
    }

    @Test("the flip, by the exit code, to true or to false, after commits or after events", arguments: 1...9)
    func flip(position: Int) throws {
        let commits = [2, 3, 4, 5, 6, 8, 9]
        let test = "test $MESSAGESTORE_POSITION -lt \(position)"
        let rising = try search(test, "--json")
        #expect(rising.exitCode == 0, "\(rising.errors)")
        #expect(try rising.object()["position"] as? Int == commits.first { $0 >= position })
        #expect(try rising.object()["isTrue"] as? Bool == true)
        let falling = try search("! " + test, "--json", "--each-event")
        #expect(try falling.object()["position"] as? Int == position)
        #expect(try falling.object()["isTrue"] as? Bool == false)
    }

    @Test("the command finds the store, may look at it with the tool, and its output is not in the result")
    func lookAtStore() throws {
        let tool = try #require(ToolRun.executable).path
        let script = """
            echo looking; "\(tool)" unread "$MESSAGESTORE_STORE" --at "$MESSAGESTORE_POSITION" --json | grep -q '"badge":0'
            """
        let run = try search(script, "--each-event", "--to", "6")
        #expect(run.lines.first?.hasPrefix("1  ") == true && run.lines.first?.hasSuffix("  true") == true)
        #expect(run.lines.count == 2 && !run.output.contains("looking") && run.errors.contains("looking"))
        #expect(run.errors.contains("searching from 0 to 6, as if the command's verdict flipped once between them"))
    }

    @Test("125 skips a position: the flip is found all the same, or where it hides is told")
    func skips() throws {
        let beside = try search("case $MESSAGESTORE_POSITION in 4) exit 125;; esac; test $MESSAGESTORE_POSITION -lt 6")
        #expect(beside.lines.first?.hasPrefix("6  ") == true && !beside.errors.contains("hides"))
        let hidden = try search(
            "case $MESSAGESTORE_POSITION in 3|4|5) exit 125;; esac; test $MESSAGESTORE_POSITION -lt 4")
        #expect(hidden.exitCode == 0 && hidden.lines.first?.hasPrefix("6  ") == true)
        #expect(hidden.errors.contains("hides where it flipped: after 2, at 6 or before it"), "\(hidden.errors)")
    }

    @Test(
        "ends that agree, ends that are skipped, signals, great exit codes and what cannot be run end the search",
        arguments: [
            ("true", "false at both ends, 0 and 9"), ("exit 1", "true at both ends"), ("exit 127", "true at both ends"),
            ("exit 125", "skipped position 0"), ("exit 128", "ended with 128 at position 0"),
            ("kill -9 $$", "ended by signal 9 at position 0"),
            ("test $MESSAGESTORE_POSITION -eq 0 || exit 255", "ended with 255 at position 9"),
        ])
    func failures(script: String, words: String) throws {
        let run = try search(script)
        #expect(run.exitCode == 1 && run.output.isEmpty)
        #expect(run.errors.contains(words), "\(run.errors)")
    }
}
