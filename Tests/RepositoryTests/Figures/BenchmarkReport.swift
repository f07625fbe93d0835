import Foundation
import Testing

/// The values of `Docs/Benchmarks/results.json`.
struct BenchmarkReport: Decodable {
    private let sections: [Section]

    private struct Section: Decodable {
        let title: String
        let tables: [Table]
    }

    private struct Table: Decodable {
        let columns: [String]
        let rows: [[Cell]]
    }

    private enum Cell: Decodable, Equatable {
        case text(String)
        case number(Double)
        case none

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
    }

    /// Reads the report.
    static func read() throws -> BenchmarkReport {
        let file = RepositoryText.root.appendingPathComponent("Docs/Benchmarks/results.json")
        return try JSONDecoder().decode(BenchmarkReport.self, from: Data(contentsOf: file))
    }

    /// The number in a column of the row that begins with `row`, in the only section whose title contains `section`.
    func value(_ section: String, _ row: String, _ column: String) throws -> Double {
        try value(section, column) { $0 == .text(row) }
    }

    /// The number in a column of the row that begins with a number.
    func value(_ section: String, _ row: Double, _ column: String) throws -> Double {
        try value(section, column) { $0 == .number(row) }
    }

    /// The number in a column of the first row.
    func value(_ section: String, _ column: String) throws -> Double { try value(section, column) { _ in true } }

    private func value(_ section: String, _ column: String, isRow: (Cell) -> Bool) throws -> Double {
        let matching = sections.filter { $0.title.contains(section) }
        try #require(matching.count == 1, "sections named \(section)")
        for table in matching[0].tables {
            guard let index = table.columns.firstIndex(of: column), let row = table.rows.first(where: { isRow($0[0]) }),
                case .number(let number) = row[index]
            else { continue }
            return number
        }
        throw MissingValue(place: "\(section): \(column)")
    }

    private struct MissingValue: Error {
        let place: String
    }
}
