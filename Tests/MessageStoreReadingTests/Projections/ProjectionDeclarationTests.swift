import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Registering projections")
struct ProjectionDeclarationTests {
    private struct Declared: Projection {
        let declaration: ProjectionDeclaration

        func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {}
    }

    private static func table(_ id: ProjectionID, _ name: String = "rows") -> ProjectionTable<StarCount, UInt64> {
        ProjectionTable(id, name, key: "n")
    }

    private static func declared(_ id: ProjectionID, reads: Set<ProjectionID> = []) -> Declared {
        declared(id, reads: reads, table(id))
    }

    private static func declared<Key>(
        _ id: ProjectionID, reads: Set<ProjectionID> = [], _ table: ProjectionTable<StarCount, Key>
    ) -> Declared {
        Declared(declaration: ProjectionDeclaration(id, version: 1, handles: [], reads: reads, tables: table))
    }

    private static let refused: [(projections: [any Projection], names: String)] = [
        ([declared("plain")], "plain"), ([declared("a.b c")], "a.b c"), ([declared("")], "reverse-DNS"),
        ([declared(ProjectionID(rawValue: String(repeating: "a.", count: 70)))], "a.a"),
        ([declared("Timeline")], "Timeline"), ([declared("a.b"), declared("a.b")], "a.b"),
        ([declared("a.b", reads: ["c.d"])], "c.d"), ([declared("a.b", reads: ["c.d"]), declared("c.d")], "c.d"),
        ([declared("a.b", table("c.d"))], "c.d/rows"), ([declared("a.b", table("a.b", ""))], "a.b"),
        ([declared("a.b", table("a.b", "x y"))], "x y"),
        ([declared("a.b", ProjectionTable<StarCount, Bool>("a.b", "r", key: "n"))], "a.b/r"),
        ([declared("a.b", ProjectionTable<StarCount, [String]>("a.b", "r", key: "n"))], "a.b/r"),
        ([declared("a.b", ProjectionTable<StarCount, Int64>("a.b", "r", key: "n"))], "a.b/r"),
        ([declared("a.b", ProjectionTable<StarCount, UInt8?>("a.b", "r", key: "n"))], "a.b/r"),
        ([declared("a.b", ProjectionTable<StarCount, UInt64>("a.b", "r"))], "a.b/r"),
        ([declared("a.b", ProjectionTable<StarCount, UInt64>("a.b", "r", key: "n", "m"))], "a.b/r"),
        ([declared("a.b", ProjectionTable<StarCount, ()>("a.b", "r"))], "a.b/r"),
        ([declared("a.b", table("a.b", "failed-events"))], "failed-events"),
        ([Declared(declaration: ProjectionDeclaration("a.b", version: 1, handles: []))], "a.b"),
        (
            [Declared(declaration: ProjectionDeclaration("a.b", version: 1, handles: [], tables: BadRow.table))],
            "in one place"
        ),
        ((0..<40).map { declared(ProjectionID(rawValue: "a.b\($0)")) }, "more tables"),
    ]

    @Test("a declaration that breaks a rule is refused by name, and nothing is made", arguments: refused.indices)
    func refusal(index: Int) throws {
        let (projections, name) = Self.refused[index]
        let place = try TemporaryStore()
        let error = #expect(throws: StoreError.self) { try place.open { $0.projections = projections } }
        #expect(error?.code == .invalidArgument)
        #expect(!FileManager.default.fileExists(atPath: place.path))
        #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
    }

    @Test("asking for what is not registered is an error")
    func unknown() throws {
        try withTemporaryStore { store in
            #expect(throws: StoreError.self) { try store.read { try $0.rows(of: Stars.counts) } }
            #expect(throws: StoreError.self) {
                try store.read { try ViewDiagnostics.failedEvents(of: Stars.id, in: $0) }
            }
            let error = #expect(throws: StoreError.self) { try store.rebuild([Stars.id]) }
            #expect(error?.message.contains("com.example.stars") == true)
        }
    }
}

private struct BadRow: FieldGroup {
    static let table = ProjectionTable<BadRow, UInt64>("a.b", "rows", key: "n")

    init(from fields: inout some FieldDecoder) throws {
        _ = try fields.decode(Field<UInt64>(1, "a"))
        _ = try fields.decode(Field<UInt64>(1, "b"))
    }

    func encode(to fields: inout some FieldEncoder) throws {}
}
