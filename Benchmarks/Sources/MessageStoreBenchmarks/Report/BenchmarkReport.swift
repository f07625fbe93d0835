/// Everything that one run of the benchmarks found; Markdown, JSON and charts are made of it alone.
struct BenchmarkReport: Codable {
    var machine: Machine
    /// When, as ISO 8601.
    var date: String
    /// The command that gave these numbers.
    var command: String
    var sections: [Section]
}

/// What one subcommand measured.
struct Section: Codable {
    var title: String
    /// What was done and how, in sentences.
    var notes: [String] = []
    var tables: [Table] = []
    var charts: [Chart] = []
    /// What it comes to, in a sentence or two for the top of the report.
    var verdict: String?
}

/// Rows of values under columns.
struct Table: Codable {
    var title: String?
    var columns: [String]
    var rows: [[Cell]] = []

    init(_ title: String? = nil, _ columns: [String]) {
        self.title = title
        self.columns = columns
    }
}

/// A value in a table.
enum Cell: Equatable {
    case text(String)
    case number(Double)
    /// Nothing was measured.
    case none

    static func number(_ value: Int?) -> Cell { value.map { .number(Double($0)) } ?? .none }
    static func number(_ value: Double?) -> Cell { value.map { $0.isFinite ? .number($0) : .none } ?? .none }
}

extension Cell: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .none
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): if number.isFinite { try container.encode(number) } else { try container.encodeNil() }
        case .none: try container.encodeNil()
        }
    }
}

/// Series of points, drawn as lines or bars.
struct Chart: Codable {
    enum Kind: String, Codable {
        case line
        case bar
    }

    struct Axis: Codable {
        var label: String
        var isLogarithmic = false
    }

    struct Point: Codable {
        var x: Double
        var y: Double
        /// What stands below a bar.
        var label: String?
    }

    struct Series: Codable {
        var name: String
        var points: [Point]
    }

    /// The name of its file, without extension.
    var id: String
    var title: String
    var kind: Kind
    var x: Axis
    var y: Axis
    var series: [Series]
}
