import Testing

@Suite struct MigrationTests {}
