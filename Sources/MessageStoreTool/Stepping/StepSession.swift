internal import MessageStore

/// A place in a log from which somebody goes on and back, and looks around.
final class StepSession {
    let store: MessageStore
    let session: ReplaySession
    let hosts: HostEvents
    /// Whether words of people are shown.
    let hasContent: Bool
    private let filter: EventFilter
    private let search: EventSearch
    private(set) var position: Position
    private var lastMovement: StepInstruction?

    /// - Parameters:
    ///   - store: The store.
    ///   - position: Where to begin.
    ///   - selection: The events on which `next` and `back` stop.
    ///   - hasContent: Whether words of people are shown.
    init(
        _ store: MessageStore, at position: Position, _ selection: (EventFilter, EventSearch), hasContent: Bool
    ) throws {
        self.store = store
        self.position = position
        self.hasContent = hasContent
        (filter, search) = selection
        session = try store.replaySession()
        hosts = HostEvents(try store.eventDescriptions())
    }

    /// Does what a line says.
    ///
    /// - Returns: Whether to go on.
    /// - Throws: ``ToolError``, ``ConditionError`` or `StoreError`; then it stays where it is.
    func run(_ line: String) throws -> Bool {
        var instruction = try StepInstruction(line)
        if instruction == .again {
            guard let lastMovement else { throw ToolError.usage("there is no movement to repeat") }
            instruction = lastMovement
        }
        switch instruction {
        case .next, .back, .to, .until:
            lastMovement = instruction
            let before = position
            do {
                try move(instruction)
                try showPlace()
            } catch {
                position = before
                throw error
            }
        case .event: try showEvent()
        case .diff: try showChanges()
        case .list: try showList()
        case .timeline(let conversation): try showTimeline(of: conversation)
        case .unread(let conversation?): try showUnread(in: conversation)
        case .unread(nil): try showTotals()
        case .help: print(StepInstruction.guide)
        case .again: break
        case .quit: return false
        }
        return true
    }

    private func move(_ instruction: StepInstruction) throws {
        switch instruction {
        case .next(let count): try move(count, .ascending)
        case .back(let count): try move(count, .descending)
        case .to(let moment): position = try moment.position(in: store)
        case .until(let condition, let isBack):
            let condition = try Condition(condition, in: store)
            position = try isBack ? lastFlip(of: condition) : nextFlip(of: condition)
        default: break
        }
    }

    private func move(_ count: Int, _ order: MessageStore.EventOrder) throws {
        let isBack = order == .descending
        guard !isBack || position > Position(1) else { throw ToolError.usage("there is no event before \(position)") }
        let (first, last): (Position, Position?) =
            isBack ? (Position(1), Position(position.rawValue - 1)) : (Position(position.rawValue + 1), nil)
        var (left, reached) = (count, position)
        try store.forEachEvent(from: first, to: last, order: order, where: filter) { event in
            guard search.matches(event, hosts) else { return true }
            reached = event.position
            left -= 1
            return left > 0
        }
        guard left < count else {
            throw ToolError.usage("there is no matching event \(isBack ? "before" : "after") \(position)")
        }
        position = reached
    }

    private func scan(_ condition: Condition) -> FlipScan {
        FlipScan(session: session, condition: condition, stops: Stops(store: store, isEachEvent: true))
    }

    private func nextFlip(of condition: Condition) throws -> Position {
        let progress = ReplayProgressLine("looking")
        defer { progress.finish() }
        var found: Position?
        let (before, _) = try scan(condition).forEachFlip(
            from: Position(position.rawValue + 1), through: store.lastPosition(), progress: progress.update
        ) { flip in
            if flip.isTrue { found = flip.position }
            return found == nil
        }
        guard let found else {
            throw ToolError.usage("it does not become true after \(position)\(before ? ", where it is true" : "")")
        }
        return found
    }

    private func lastFlip(of condition: Condition) throws -> Position {
        guard position > Position(1) else { throw ToolError.usage("there is no event before \(position)") }
        let progress = ReplayProgressLine("looking")
        defer { progress.finish() }
        var found: Position?
        _ = try scan(condition).forEachFlip(
            from: Position(1), through: Position(position.rawValue - 1), progress: progress.update
        ) { flip in
            if flip.isTrue { found = flip.position }
            return true
        }
        guard let found else { throw ToolError.usage("it does not become true before \(position)") }
        return found
    }
}
