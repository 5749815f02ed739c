/// Row ids of the tables of a page, by index.
struct RowIDs {
    let types: [Int64]
    let revisions: [Int64]
    let devices: [Int64]
    let metadata: [Int64]
}
