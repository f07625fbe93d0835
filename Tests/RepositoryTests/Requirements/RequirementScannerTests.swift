import Testing

@Suite("The scanner behind the requirements' tests")
struct RequirementScannerTests {
    @Test("public members stand under their types, with and without labels; others do not stand")
    func declarations() {
        var declarations = PublicDeclarations()
        declarations.add(
            #"""
            public import Other
            /// public struct Commented {}
            extension Outer {
                public struct Inner<Value: Sendable>: Hashable where Value: Equatable {
                    public internal(set) var shown = "public var quoted \(f("}"))"
                    let hidden = 1
                    public init?(from old: [String: Int] = [:], _ new: (Int, Int) throws -> Bool) { let local = 1 }
                    public func call<T>(_ first: T, with second: Set<T>? = nil) {}
                }
                public enum Kind { case plain, loaded(Int, at: String); case numbered = 3 }
                enum Inside { case secret }
                func `internal`() {}
            }
            public protocol Hook { func ask(_ names: [String]) async throws }
            """#)
        let names = declarations.names
        for name in [
            "Outer.Inner", "Inner", "Inner.shown", "Outer.Inner.init(from:_:)", "Inner.call(_:with:)", "Kind.plain",
            "Outer.Kind.loaded(_:at:)", "Kind.numbered", "Hook.ask(_:)",
        ] {
            #expect(names.contains(name), "\(name)")
        }
        for name in [
            "Commented", "quoted", "Inner.hidden", "Inside.secret", "Inner.local", "local", "internal()",
            "Inner.call(_:)", "Other",
        ] {
            #expect(!names.contains(name), "\(name)")
        }
    }

    @Test("a test's name is its string, over lines and with quotes, or its raw identifier")
    func displayNames() {
        let source = ##"""
            @Test("one \"word\"") func first() {}
            @Test(
                "A1, B2: two",
                arguments: [1])
            func second() {}
            @Test(arguments: [1]) func `three: words`() {}
            @Test func fourth() {}
            @Suite("no test") struct Other {}
            let text = #"@Test("quoted")"#
            """##
        #expect(RepositoryText.displayNames(in: source) == ["one \"word\"", "A1, B2: two", "three: words"])
        #expect(RepositoryText.suiteTitles(in: source + "@Suite struct `some words` {}") == ["no test", "some words"])
    }

    @Test(
        "a row of a document has a state, that of a decision none; a test's items stand before its colon, ranges included"
    )
    func rows() throws {
        let line = #"| A1 | asks | partial | `Name`. Missing: much; no user can | "test" |"#
        let row = try #require(RequirementRow(Substring(line)))
        #expect(row.state == "partial" && row.missing == "much; no user can" && !row.isOutOfScope)
        #expect(row.declarations == ["Name"] && row.testNames == ["test"] && row.asks == "asks")
        let other = try #require(RequirementRow("| E1 | a | out of scope | out of scope: screen; none needed | – |"))
        #expect(other.state == "out of scope" && other.missing == nil && other.needsNothing)
        #expect(RequirementRow("| d1 | what | where | test |")?.state == nil)
        #expect(RequirementRow("| d1 | what | where | test |")?.answer == "where")
        for other in ["| A1 | asks | answer | test |", "| A | 2 | 1 | 0 | 1 |", "| d1 | what | real | where | test |"] {
            #expect(RequirementRow(Substring(other)) == nil, "\(other)")
        }
        let found = RequirementItem.items(ofTest: "A1, B3–B5, d10, I4: and C7: not these")
        #expect(Set(found.map(\.description)) == ["A1", "B3", "B4", "B5", "d10"])
        #expect(RequirementItem.items(ofTest: "A1 and no colon").isEmpty)
    }
}
