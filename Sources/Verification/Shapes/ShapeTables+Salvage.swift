internal import Codes

/// The tables of a salvage (`Spec/salvage.md`).
extension ShapeTables {
    /// What can be said of a damaged file by itself.
    private static var codes: Shape {
        let groups = ["container", "line", "canonical", "shape", "item", "order", "manifest"]
        return .choice(Code.allCases.filter { groups.contains($0.group) }.map { Array($0.rawValue.utf8) })
    }

    private static var entry: Shape {
        Shape.object(
            ObjectShape(
                [
                    member("after_items", .count(least: 0), .always),
                    member("byte", .count(least: 0)),
                    member("byte_end", .count(least: 0)),
                    member("code", codes, .always),
                    member("frame", .count(least: 1)),
                    member("frame_end", .count(least: 1)),
                    member("frame_line", .count(least: 1)),
                    member("line_count", .count(least: 1)),
                    member("source", .count(least: 1)),
                ], pairs: [("byte", "byte_end"), ("frame", "frame_end")], needs: [("frame_line", "frame")]))
    }

    private static var missing: Shape {
        Shape.object(
            ObjectShape([
                member("item_count", .count(least: 0), .always),
                member(
                    "types",
                    .array(
                        .object(
                            ObjectShape([
                                member("item_count", .count(least: 1), .always),
                                member("sample_type", .text),
                            ])), least: 0, slot: nil), .always),
            ]))
    }

    private static var source: Shape {
        Shape.object(
            ObjectShape([
                member("sha256", .form(.hash), .always),
                member("size", .count(least: 0), .always),
            ]))
    }

    private static var salvage: Shape {
        Shape.object(
            ObjectShape(
                [
                    member("account", .array(entry, least: 0, most: 1000, slot: nil), .always),
                    member("account_count", .count(least: 0), .always),
                    member("export", export, .optional, .export),
                    member("format", .text, .always, .salvageFormat),
                    member("format_version", .integer, .always, .salvageFormatVersion),
                    member("generator", generator, .always),
                    member(
                        "manifest",
                        .object(
                            ObjectShape([
                                member("manifest_hash", .form(.hash), .always, .manifestHash),
                                member("totals", totals, .always, .totals),
                            ]))),
                    member("missing", missing),
                    member("other_sources", .array(source, least: 1, slot: nil)),
                    member("source", source, .always),
                ], pairs: [("manifest", "missing")]))
    }

    /// The line of a salvage's header.
    static var salvageLine: ObjectShape {
        ObjectShape([member("salvage", salvage, .always)])
    }

    /// The last line of a salvage.
    static var salvageEndLine: ObjectShape {
        ObjectShape([
            member("salvage_hash", .form(.hash), .always, .manifestHash),
            member("totals", totals, .always, .totals),
        ])
    }
}
