import Testing

@Suite("The rules behind the tidy test")
struct TidyRuleTests {
    private func file(_ text: String, path: String = "Sources/Module/Thing.swift") -> SourceFile {
        SourceFile(path: path, text: text + "\n")
    }

    @Test("a file and a function that are too long, and a file that is named after nothing in it")
    func lengths() {
        let body = Array(repeating: "    work()", count: 69).joined(separator: "\n")
        let long = file("\nfunc long(_ body: () -> Void = {}) -> Int\nwhere T: P {\n\(body)\n}\ninit() {\n}")
        #expect(long.functions.map(\.line) == [2, 74] && long.functions.map(\.length) == [72, 2])
        #expect(Tidy.longFunctions(long) == ["Sources/Module/Thing.swift:2 has 72 lines"])
        let cases = Array(repeating: "    case 1: work()", count: 80).joined(separator: "\n")
        #expect(Tidy.longFunctions(file("func f() {\n    work()\n    switch x {\n\(cases)\n    }\n}")) == [])
        #expect(Tidy.longFunctions(file("func f() {\n    switch x {\n\(cases)\n    }\n    work()\n}")).count == 1)
        #expect(Tidy.longFunctions(file("protocol P { func none() throws\n    var x: Int { get } }")) == [])
        #expect(Tidy.longFiles(file(String(repeating: "\n", count: 399))) == [])
        #expect(Tidy.longFiles(file("// swift-format-ignore-file" + String(repeating: "\n", count: 400))) == [])
        #expect(
            Tidy.longFiles(file(String(repeating: "\n", count: 400))) == ["Sources/Module/Thing.swift has 401 lines"])
        #expect(!Tidy.isMisnamed(file("struct Thing {}")))
        #expect(!Tidy.isMisnamed(file("extension Store.Thing {}", path: "Sources/Module/Thing+Part.swift")))
        #expect(Tidy.isMisnamed(file("// struct Thing {}\nenum Other {}")))
        #expect(!Tidy.isMisnamed(file("func make() {}")))
        #expect(!Tidy.isMisnamed(file("@Suite struct `Some things` {}", path: "Tests/Module/ThingTests.swift")))
    }

    private static let rules: [(rule: @Sendable (SourceFile) -> [String], wrong: [String], right: String)] = [
        (
            Tidy.forbidden, ["try!", "fatalError(", "// TODO:", "// FIXME"].map { "let a = 1\n\($0) b()" },
            "try !b()"
        ),
        (
            Tidy.foreignClocks,
            [
                "queue.asyncAfter(deadline: x)", "try await Task.sleep(for: .seconds(1))", "DispatchTime.now()",
                "gate.wait(timeout: x)",
            ], "try await clock.sleep(for: timeout)"
        ),
        (
            Tidy.polls,
            ["await Task.yield()", "try await Task.sleep(for: a)", "Thread.sleep(forTimeInterval: 1)", "usleep(5)"]
                .map { "while !isDone { \($0) }" },
            "continuation.yield(a)\nclock.sleep(for: a)\nlet usleeps = Task {}"
        ),
        (
            Tidy.lockedFunctions,
            ["@Sendable () -> Bool", "(() throws -> Void)?"].map { "let a = Locked<\($0)>(b)" },
            "let a: (Locked<[Int: A]>) -> Int\nlet b = Locked<Int>(1)"
        ),
        (
            Tidy.zippedExpectations, ["#expect(zip(a, b).allSatisfy { $0 == $1 })"],
            "#expect(a == b)\nfor (a, b) in zip(a, b) {}"
        ),
    ]

    @Test("traps, notes, other clocks, waits for time, locked functions and zipped expectations, and what is like them")
    func found() {
        for (rule, wrong, right) in Self.rules {
            #expect(wrong.map { rule(file($0)).count } == wrong.map { _ in 1 }, "\(wrong)")
            #expect(rule(file(right)) == [])
        }
    }

    @Test("a suite that waits without a time limit")
    func timeLimits() {
        let body = "struct A { @Test(\"x\", arguments: [1]) func a(b: Int) async throws {} }"
        #expect(Tidy.unlimitedSuites(file("@Suite(\"A\") \(body)")).count == 1)
        #expect(Tidy.unlimitedSuites(file("@Suite \(body)")).count == 1)
        #expect(Tidy.unlimitedSuites(file("@Suite(\"A\", .timeLimit(.minutes(5))) \(body)")) == [])
        #expect(Tidy.unlimitedSuites(file("@Suite struct A { @Test func a() {} \n func b() async {} }")) == [])
        #expect(Tidy.unlimitedSuites(file("@Suite struct A { @Test func a() { ToolRun() } }")).count == 1)
    }

    @Test("numbers of requirements in public documentation")
    func citations() {
        let text = """
            /// Public (A14).
            @frozen
            public enum Kind {
                /// A case (d10).
                case one
                /// No public one (I8).
                private var two: Int
            }
            /// Not public (I3).
            struct Hidden {}
            public protocol Hook {
                /// A requirement, B2–B4; UTF8, E and 16 are none.
                func ask()
            }
            """
        #expect(Tidy.citedCodes(file(text)).map { $0.split(separator: " ")[0].suffix(2) } == [":1", ":4", "12"])
    }
}
