internal import ArgumentParser

/// How the log command prints an event.
enum EventFormat: String, ExpressibleByArgument, CaseIterable {
    /// The values that every event has, two spaces between them, then the others with their names.
    case text
    /// The same with tabs, and nothing in the place of a value that an event lacks.
    case tsv
    /// One JSON object a line.
    case json
}
