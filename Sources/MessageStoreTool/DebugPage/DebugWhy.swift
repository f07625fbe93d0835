/// Asks how a value came to be, as `why` does.
struct DebugWhy: Hashable, Sendable {
    /// The events that are shown.
    static let limit = 20

    let kind: Subject.Kind
    let names: [String]
    let position: Position

    /// - Parameter check: Called now and then; throwing ends the search.
    func answer(in store: MessageStore, _ check: () throws -> Void) throws -> JSONObject {
        let subject = try Subject(kind, names, in: store, conversation: nil, through: position)
        let names = Names(store)
        return try Explanation(subject, in: store, at: position, limit: Self.limit, names: names) { _, _ in try check()
        }
        .object
    }
}

extension DebugWhy {
    init(_ request: DebugRequest) throws {
        guard let kind = request["kind"].flatMap(Subject.Kind.init(rawValue:)) else {
            throw ToolError.usage("kind takes one of \(Subject.Kind.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        guard let position = try request.position("at") else { throw ToolError.usage("at is needed") }
        let names = [request["name"], request["user"]].compactMap { $0 }
        (self.kind, self.names, self.position) = (kind, names, position)
    }
}
