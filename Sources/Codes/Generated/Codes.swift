// Made from Spec/codes.json by Scripts/write-format.

/// What a finding can be: a code of `Spec/codes.json`.
public enum Code: String, CaseIterable, Sendable {
    // Container
    case containerEmpty = "container.empty"
    case containerNotZstd = "container.not_zstd"
    case containerFrameHeader = "container.frame_header"
    case containerDictionary = "container.dictionary"
    case containerWindow = "container.window"
    case containerFrameLimit = "container.frame_limit"
    case containerFrameCorrupt = "container.frame_corrupt"
    case containerChecksum = "container.checksum"
    case containerChecksumMissing = "container.checksum_missing"
    case containerContentSizeMissing = "container.content_size_missing"
    case containerContentSize = "container.content_size"
    case containerFrameEmpty = "container.frame_empty"
    case containerFrameLineEnd = "container.frame_line_end"
    case containerTruncated = "container.truncated"
    case containerSkippable = "container.skippable"
    case containerTrailing = "container.trailing"
    case containerSeekTableMissing = "container.seek_table_missing"
    case containerSeekTable = "container.seek_table"
    case containerSeekTableMismatch = "container.seek_table_mismatch"
    case containerEnvelope = "container.envelope"
    case containerPage = "container.page"
    case containerPageHash = "container.page_hash"
    case containerPagePolicy = "container.page_policy"
    case containerSidecarMissing = "container.sidecar_missing"
    case containerSidecar = "container.sidecar"
    case containerFileHash = "container.file_hash"
    case containerColumns = "container.columns"
    // Line
    case lineLimit = "line.limit"
    case lineDamagedLimit = "line.damaged_limit"
    case lineBlank = "line.blank"
    case lineUnterminated = "line.unterminated"
    case lineHeaderMissing = "line.header_missing"
    case lineHeaderRepeated = "line.header_repeated"
    case lineManifestMissing = "line.manifest_missing"
    case lineAfterManifest = "line.after_manifest"
    case lineKind = "line.kind"
    case lineCells = "line.cells"
    case lineCell = "line.cell"
    // Canonical
    case canonicalSyntax = "canonical.syntax"
    case canonicalByteOrderMark = "canonical.byte_order_mark"
    case canonicalUTF8 = "canonical.utf8"
    case canonicalSurrogate = "canonical.surrogate"
    case canonicalDuplicateKey = "canonical.duplicate_key"
    case canonicalNumberRange = "canonical.number_range"
    case canonicalDepth = "canonical.depth"
    case canonicalWhiteSpace = "canonical.white_space"
    case canonicalKeyOrder = "canonical.key_order"
    case canonicalEscape = "canonical.escape"
    case canonicalNumber = "canonical.number"
    // Shape
    case shapeFormatVersion = "shape.format_version"
    case shapeMemberMissing = "shape.member_missing"
    case shapeMemberUnknown = "shape.member_unknown"
    case shapeType = "shape.type"
    case shapeValue = "shape.value"
    // Item
    case itemHash = "item.hash"
    case itemMetadataHash = "item.metadata_hash"
    case itemPayloadHash = "item.payload_hash"
    case itemStrictFingerprint = "item.strict_fingerprint"
    case itemAlikeLimit = "item.alike_limit"
    case itemSemanticFingerprint = "item.semantic_fingerprint"
    case itemPrivateMetadata = "item.private_metadata"
    case itemShared = "item.shared"
    // Order
    case orderItems = "order.items"
    case orderRepeated = "order.repeated"
    case orderCoverage = "order.coverage"
    // Manifest
    case manifestExportID = "manifest.export_id"
    case manifestTotals = "manifest.totals"
    case manifestHash = "manifest.hash"
    case manifestScope = "manifest.scope"
    case manifestRelationships = "manifest.relationships"
    // Archive
    case archiveExportUnknown = "archive.export_unknown"
    case archiveManifestHash = "archive.manifest_hash"
    case archiveRecordCount = "archive.record_count"
    case archiveScope = "archive.scope"
    case archiveItemUnknown = "archive.item_unknown"
    case archiveItemAbsent = "archive.item_absent"
    case archiveItemHash = "archive.item_hash"
    case archiveEvidenceHeader = "archive.evidence_header"
    case archiveHistory = "archive.history"
    case archiveEvidenceUnknown = "archive.evidence_unknown"
    case archiveEvidenceAbsent = "archive.evidence_absent"
    case archiveEvidenceChanged = "archive.evidence_changed"
    case archiveChanged = "archive.changed"
    // Sqlite
    case sqliteIntegrity = "sqlite.integrity"
    case sqliteUnreadable = "sqlite.unreadable"
    case sqliteLog = "sqlite.log"
    // Schema
    case schemaColumn = "schema.column"
    case schemaForeignKey = "schema.foreign_key"
    case schemaUnique = "schema.unique"
    case schemaIndex = "schema.index"
    // References
    case referencesMissingRow = "references.missing_row"
    // Values
    case valuesStorageClass = "values.storage_class"
    case valuesNull = "values.null"
    case valuesNotFinite = "values.not_finite"
    case valuesIntegerRange = "values.integer_range"
    case valuesCount = "values.count"
    case valuesUTF8 = "values.utf8"
    case valuesNul = "values.nul"
    case valuesDateRange = "values.date_range"
    case valuesDates = "values.dates"
    case valuesWord = "values.word"
    case valuesHash = "values.hash"
    case valuesMetadata = "values.metadata"
    // Manifests
    case manifestsManifestHash = "manifests.manifest_hash"
    case manifestsItemHash = "manifests.item_hash"
    case manifestsRecordCount = "manifests.record_count"
    case manifestsFilter = "manifests.filter"
    case manifestsOtherChain = "manifests.other_chain"
    // Evidence
    case evidenceFirstSeen = "evidence.first_seen"
    case evidenceCreated = "evidence.created"
    case evidenceObservedAt = "evidence.observed_at"
    case evidenceEvidenceKind = "evidence.evidence_kind"
    case evidenceRunCounts = "evidence.run_counts"
    case evidenceRunMissing = "evidence.run_missing"
    case evidenceUuid = "evidence.uuid"
    case evidenceStatus = "evidence.status"
    case evidenceLoggedStatus = "evidence.logged_status"
    case evidenceLog = "evidence.log"
    case evidenceLogEmpty = "evidence.log_empty"
    case evidenceTypeSet = "evidence.type_set"
    case evidenceZoneRules = "evidence.zone_rules"
    case evidenceWithdrawn = "evidence.withdrawn"
    case evidenceEventVersion = "evidence.event_version"
    case evidenceRunDates = "evidence.run_dates"
    case evidenceSchemaVersion = "evidence.schema_version"
    case evidenceTypeSetMissing = "evidence.type_set_missing"
    case evidenceWithdrawnLog = "evidence.withdrawn_log"
    case evidenceRejected = "evidence.rejected"
    case evidenceLinkEnd = "evidence.link_end"
    // Ranges
    case rangesObservationOrder = "ranges.observation_order"
    case rangesInverted = "ranges.inverted"
    case rangesOtherChain = "ranges.other_chain"
    case rangesEnd = "ranges.end"
    case rangesVersion = "ranges.version"
    case rangesOpenTwice = "ranges.open_twice"
    case rangesOverlap = "ranges.overlap"
    case rangesEvent = "ranges.event"
    case rangesMissing = "ranges.missing"
    case rangesNoEvent = "ranges.no_event"
    case rangesEndDiffers = "ranges.end_differs"
    case rangesTimes = "ranges.times"
    // Identities
    case identitiesUuid = "identities.uuid"
    case identitiesFingerprint = "identities.fingerprint"
    case identitiesTypeTwin = "identities.type_twin"
    case identitiesDuplicateRow = "identities.duplicate_row"
    case identitiesMetadataHash = "identities.metadata_hash"
    case identitiesPayloadHash = "identities.payload_hash"
    case identitiesStrictFingerprint = "identities.strict_fingerprint"
    case identitiesSemanticFingerprint = "identities.semantic_fingerprint"
    case identitiesFuzzyKey = "identities.fuzzy_key"
    // Aggregates
    case aggregatesSummary = "aggregates.summary"
    case aggregatesBucket = "aggregates.bucket"
    case aggregatesMissing = "aggregates.missing"
    case aggregatesHash = "aggregates.hash"
    case aggregatesTypeState = "aggregates.type_state"
    // Exports
    case exportsQuestion = "exports.question"
    case exportsHeader = "exports.header"
    case exportsManifestHash = "exports.manifest_hash"
    case exportsItemUnknown = "exports.item_unknown"
    case exportsItemAbsent = "exports.item_absent"
    case exportsItemHash = "exports.item_hash"
    // History
    case historyEntry = "history.entry"
    case historyLink = "history.link"
    case historyPrevious = "history.previous"
    case historyIdentity = "history.identity"
    case historyState = "history.state"
    case historyRows = "history.rows"
    case historyObservation = "history.observation"
    case historyObservationMissing = "history.observation_missing"
    case historyNoEntry = "history.no_entry"
    case historyRewound = "history.rewound"
    case historyForked = "history.forked"
    case historyAnotherArchive = "history.another_archive"
    case historyWithdrawnSince = "history.withdrawn_since"
    case historyUnanswered = "history.unanswered"
    // Signature
    case signatureUnsigned = "signature.unsigned"
    case signatureStatement = "signature.statement"
    case signatureNamespace = "signature.namespace"
    case signatureAlgorithm = "signature.algorithm"
    case signatureBad = "signature.bad"
    case signatureUnknownKey = "signature.unknown_key"
    case signatureIdentity = "signature.identity"
    case signatureExpired = "signature.expired"
    // Timestamp
    case timestampMissing = "timestamp.missing"
    case timestampRefused = "timestamp.refused"
    case timestampAlgorithm = "timestamp.algorithm"
    case timestampImprint = "timestamp.imprint"
    case timestampBad = "timestamp.bad"
    case timestampUntrusted = "timestamp.untrusted"
    // Entries
    case entriesAnotherArchive = "entries.another_archive"
    case entriesUnreadable = "entries.unreadable"
    case entriesGap = "entries.gap"
    case entriesPrevious = "entries.previous"
    case entriesState = "entries.state"
    case entriesForked = "entries.forked"
    case entriesObservation = "entries.observation"
    case entriesWithdrawn = "entries.withdrawn"
    case entriesRewound = "entries.rewound"
}

/// What a finding means for what is in the file.
public enum Severity: String, CaseIterable, Sendable {
    case loss, contradiction, form

    /// What it means.
    public var meaning: String {
        switch self {
        case .loss:
            "something could not be read, or not be judged: what it held is not known to be right"
        case .contradiction:
            "everything was read, and what is there contradicts itself, the archive or the rules"
        case .form:
            "no content is missing; it is packed or spelled otherwise than an export does"
        }
    }
}

/// A place that a finding can have.
public enum PlaceName: String, CaseIterable, Sendable {
    case line, frame, byte, pointer, table, row, column
}

/// What a finding takes from the layers behind its own.
public enum Damages: String, CaseIterable, Sendable {
    case nothing, line, frame, sidecar, manifest, rest, all

    /// What it means.
    public var meaning: String {
        switch self {
        case .nothing:
            "nothing: other layers are judged as without it"
        case .line:
            "the line: the layers behind this one do not see it"
        case .frame:
            "the frame: its lines are not seen"
        case .sidecar:
            "what the sidecar holds: header and manifest"
        case .manifest:
            "the layer manifest alone: it is unknown"
        case .rest:
            "the rest of the file"
        case .all:
            "everything: each layer without a finding of its own is unknown"
        }
    }
}

extension CodeEntry {
    /// Every code, in the order of the table.
    public static let all: [CodeEntry] = [
        container, line, canonical, shape, item, order, manifest, archive, sqlite, schema, references, values,
        manifests, evidence, ranges, identities, aggregates, exports, history, signature, timestamp, entries,
    ].flatMap { $0 }

    private static let container: [CodeEntry] = [
        CodeEntry(
            .containerEmpty, .loss,
            "the file has no bytes",
            places: [Place(.byte, "0")],
            damages: .rest,
            sentence: "The file is empty, so there is nothing to verify. Fetch it again from where it came."),
        CodeEntry(
            .containerNotZstd, .loss,
            "the file does not start with a Zstandard frame",
            places: [Place(.byte, "0")],
            damages: .rest,
            sentence: """
                The file does not begin like a bundle or any other container of an export. Nothing in it was examined. \
                Check that this is the file that was meant, and that nothing converted it.
                """),
        CodeEntry(
            .containerFrameHeader, .loss,
            """
            a frame header has a reserved or unused bit set, or another magic stands where the seek table says \
            that a frame starts
            """,
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            damages: .frame,
            sentence: """
                The header of a frame is damaged. What this frame held was not examined. The other frames were. Fetch \
                the file again; where no intact copy exists, `hp-verify salvage` recovers the other lines.
                """),
        CodeEntry(
            .containerDictionary, .loss,
            "a frame names a dictionary",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            damages: .frame,
            sentence: """
                A frame says that it was compressed with a dictionary, which no export is. What this frame held was \
                not examined. The other frames were. Fetch the file again; where no intact copy exists, `hp-verify \
                salvage` recovers the other lines.
                """),
        CodeEntry(
            .containerWindow, .loss,
            "a frame needs a larger window than the limit",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            damages: .frame,
            sentence: """
                A frame asks for more memory than a verifier gives. What this frame held was not examined. The other \
                frames were. Fetch the file again; where no intact copy exists, `hp-verify salvage` recovers the other \
                lines.
                """),
        CodeEntry(
            .containerFrameLimit, .loss,
            "a frame's text is larger than the limit",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            damages: .frame,
            sentence: """
                A frame holds more text than a verifier accepts. Its text was not examined. Verify with a larger \
                `--max-frame` where the file is expected to be so.
                """),
        CodeEntry(
            .containerFrameCorrupt, .loss,
            "a frame's blocks cannot be decoded",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            damages: .frame,
            sentence: """
                The compressed bytes of a frame were changed or are incomplete. What this frame held was not examined. \
                The other frames were. Fetch the file again; where no intact copy exists, `hp-verify salvage` recovers \
                the other lines.
                """),
        CodeEntry(
            .containerChecksum, .loss,
            "a frame's content checksum does not match",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            damages: .frame,
            sentence: """
                A frame can be decompressed, but its text is not the text that was written. It is not trusted, and its \
                lines were not examined. Fetch the file again; where no intact copy exists, `hp-verify salvage` \
                recovers the other lines.
                """),
        CodeEntry(
            .containerChecksumMissing, .form,
            "a frame has no content checksum",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            sentence: """
                A frame has no checksum, so damage to it would show only in the hashes of its lines. Its lines were \
                examined. Another program than an export wrote this file, or changed it.
                """),
        CodeEntry(
            .containerContentSizeMissing, .form,
            "a frame does not state its content size",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            sentence: """
                A frame does not state how much text it holds. Its lines were examined. Another program than an export \
                wrote this file, or changed it.
                """),
        CodeEntry(
            .containerContentSize, .form,
            "a frame's text has another size than stated",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            sentence: """
                A frame states another size than its text has. The text was examined. The header of the frame was \
                changed, or a program wrote it wrong.
                """),
        CodeEntry(
            .containerFrameEmpty, .form,
            "a frame holds no text",
            places: [
                Place(.frame, "the frame"),
                Place(.byte, "where the frame starts"),
            ],
            sentence: """
                A frame holds nothing. No line is missing because of it. Another program than an export wrote this \
                file, or changed it.
                """),
        CodeEntry(
            .containerFrameLineEnd, .form,
            "a frame does not end at a line end, and more of the file follows",
            places: [Place(.frame, "the frame")],
            sentence: """
                A line goes on from one frame into the next. It was examined as one line. Another program than an \
                export wrote this file, or changed it.
                """),
        CodeEntry(
            .containerTruncated, .loss,
            "the file ends inside a frame",
            places: [
                Place(.byte, "where the frame, or what is left of one, starts"),
                Place(.frame, "the frame", where: "the four bytes of its magic are there"),
            ],
            damages: .rest,
            damagesWhere: "the four bytes of a frame's magic are there, or no manifest came before",
            sentence: """
                The file ends too early. What is missing cannot be known from the file alone. Fetch it again; where no \
                intact copy exists, `hp-verify salvage` recovers the lines before the end.
                """),
        CodeEntry(
            .containerSkippable, .form,
            "a skippable frame that is not the seek table at the end",
            places: [Place(.byte, "where the skippable frame starts")],
            damages: .rest,
            damagesWhere: "it states more bytes than there are",
            sentence: """
                The file carries data that no verifier reads and no hash covers. The lines around it were examined. \
                Another program than an export added it.
                """),
        CodeEntry(
            .containerTrailing, .form,
            "bytes that are no frame stand between frames or after the last one, or anything follows the seek table",
            places: [Place(.byte, "the first such byte")],
            damages: .rest,
            damagesWhere: "reading cannot go on at a frame behind it, and no manifest came before",
            sentence: """
                Something was added to the file, or what was between two frames was damaged. Where a manifest came \
                before, every line of the export was examined. Fetch the file again where lines are missing.
                """),
        CodeEntry(
            .containerSeekTableMissing, .form,
            "the file does not end with a seek table",
            places: [Place(.byte, "the size of the file")],
            sentence: """
                The table of frames at the end of the file is gone. No line is missing because of it; a cut at a \
                frame's end looks like this, too, and then the manifest is missing as well.
                """),
        CodeEntry(
            .containerSeekTable, .form,
            "the seek table is malformed: its size, magic, descriptor or footer",
            places: [Place(.byte, "where the seek table starts")],
            sentence: """
                The table of frames at the end of the file is damaged. No line is missing because of it. Export again, \
                or fetch the file again.
                """),
        CodeEntry(
            .containerSeekTableMismatch, .form,
            "the seek table does not describe the frames that are there",
            places: [
                Place(.byte, "where the seek table, or its entry that differs, starts"),
                Place(.frame, "the frame of the entry", where: "an entry differs, not the number of frames"),
            ],
            sentence: """
                The table of frames does not fit the frames. Frames may have been added, removed or replaced; the \
                hashes of the lines say whether their content is what was exported.
                """),
        CodeEntry(
            .containerEnvelope, .loss,
            """
            what stands between the values of an envelope is not `export`, `items`, `manifest_hash` and `totals` \
            in their order
            """,
            places: [Place(.byte, "the first byte that differs")],
            damages: .rest,
            damagesWhere: "it is before the end of the value of `totals`",
            sentence: """
                The JSON text is not laid out as an export is, from this byte on. What came before was examined. A \
                program may have formatted it anew: take the file that was exported.
                """),
        CodeEntry(
            .containerPage, .loss,
            "a page does not carry its lines as it should: another element, an escape that is none, or another end",
            places: [Place(.byte, "the first byte that differs")],
            damages: .rest,
            damagesWhere: "no undamaged manifest came before",
            sentence: """
                The page does not carry its evidence as an exported page does, from this byte on. What came before was \
                examined. A program may have saved it anew, or it was cut: take the file that was exported.
                """),
        CodeEntry(
            .containerPageHash, .contradiction,
            "what is read in a page has another SHA-256 than its last line states",
            sentence: """
                What you read in this page is not what was exported, byte for byte: a figure, a word or the style was \
                changed. The evidence in it was examined by itself. Take the file that was exported.
                """),
        CodeEntry(
            .containerPagePolicy, .contradiction,
            """
            a page does not begin with the head that is prescribed, or its style is another, or a `<meta` stands \
            behind the head
            """,
            places: [
                Place(
                    .byte, "the first byte that differs, the hash that the policy states, or the `<meta`, in the file")
            ],
            sentence: """
                Nothing keeps a browser from running scripts of this page or from leaving it: what you see need not be \
                what stands in it. Do not open it. The evidence in it was examined by itself. Take the file that was \
                exported.
                """),
        CodeEntry(
            .containerSidecarMissing, .loss,
            "a table has no sidecar beside it",
            damages: .sidecar,
            sentence: """
                The file `-metadata.json` that belongs to this table is not beside it. Without it neither header nor \
                totals are known. Put both files into one folder under their first names.
                """),
        CodeEntry(
            .containerSidecar, .loss,
            "a sidecar is not canonical JSON, lacks a member, has an unknown one, or one with another value",
            places: [
                Place(
                    .byte, "where the text stops being canonical: 0, or its size where the line end is missing",
                    where: "it is not one canonical object and its line end"),
                Place(.pointer, "the member", where: "the sidecar is canonical"),
            ],
            damages: .sidecar,
            damagesWhere: "the member is `export`, `manifest_hash` or `totals`, or nothing can be read",
            sentence: """
                The file `-metadata.json` beside the table was changed, or belongs to another table. Fetch both files \
                again, under their first names.
                """),
        CodeEntry(
            .containerFileHash, .contradiction,
            "a table has another size or SHA-256 than its sidecar states",
            sentence: """
                The table is not the file that was exported, byte for byte. A spreadsheet that saved it does this. \
                Other findings say which rows changed, and which could not be read: those were not examined. Take the \
                file that was exported.
                """),
        CodeEntry(
            .containerColumns, .loss,
            "the first row of a table is not the column names of its items",
            places: [Place(.line, "1")],
            damages: .rest,
            sentence: """
                The first row is not the one that this kind of export has, so that the rows could not be examined. A \
                spreadsheet that saved the table does this. Take the file that was exported.
                """),
    ]

    private static let line: [CodeEntry] = [
        CodeEntry(
            .lineLimit, .loss,
            "a line is longer than the limit",
            places: [Place(.line, "the line")],
            damages: .line,
            sentence: """
                A line is longer than a verifier accepts and was not examined. Verify with a larger `--max-line` where \
                the file is expected to be so.
                """),
        CodeEntry(
            .lineDamagedLimit, .loss,
            "more lines that are no undamaged items than a file may have",
            places: [Place(.line, "the first line beyond them")],
            damages: .all,
            sentence: """
                So much of the file is damaged that reading it to its end is not worth the time. Nothing behind this \
                line was examined. Fetch the file again; where no intact copy exists, `hp-verify salvage` recovers the \
                intact lines.
                """),
        CodeEntry(
            .lineBlank, .form,
            "lines that are empty: one finding for a run of them in one frame",
            places: [Place(.line, "the first of them")],
            damages: .line,
            sentence: """
                There are empty lines, which no export writes. Where a line was replaced by an empty one, its content \
                is gone. Take the file that was exported.
                """),
        CodeEntry(
            .lineUnterminated, .loss,
            "the last line has no LF",
            places: [Place(.line, "the line")],
            damages: .line,
            sentence: """
                The last line does not end, so that it may not be whole; it was not examined. The file was cut, or an \
                editor removed the last line end. Fetch it again.
                """),
        CodeEntry(
            .lineHeaderMissing, .loss,
            "the first line is an item or a manifest, or there is no line at all",
            places: [Place(.line, "the first line", where: "there is a line")],
            damages: .manifest,
            sentence: """
                The export does not begin with its header, so that it is not known what it is about. The items were \
                examined by themselves. Fetch the file again.
                """),
        CodeEntry(
            .lineHeaderRepeated, .contradiction,
            "another header",
            places: [Place(.line, "the header that is too many")],
            damages: .line,
            sentence: """
                There is a second header. Two exports were put into one file, or a line was copied. Take the files \
                that were exported.
                """),
        CodeEntry(
            .lineManifestMissing, .loss,
            "the last line is not a manifest, or there is no line at all",
            places: [Place(.line, "the last line", where: "there is a line")],
            damages: .manifest,
            sentence: """
                The export has no manifest, so that nothing says whether all items are there. The items were examined \
                one by one. The file was cut, or its export was not finished: fetch it again.
                """),
        CodeEntry(
            .lineAfterManifest, .contradiction,
            "a line follows the manifest; once in a file",
            places: [Place(.line, "the first line after the manifest")],
            damages: .line,
            sentence: """
                Lines follow the end of the export. They belong to another export, or were added. What came before was \
                examined.
                """),
        CodeEntry(
            .lineKind, .loss,
            "a line is neither header, item nor manifest",
            places: [Place(.line, "the line")],
            damages: .line,
            sentence: """
                A line is none that an export has. It was not examined further. Where it replaced an item, that item \
                is gone. Take the file that was exported.
                """),
        CodeEntry(
            .lineCells, .loss,
            "a row of a table is malformed: quotes, line end, or the number of cells",
            places: [Place(.line, "the row, counted with the header as line 1")],
            damages: .line,
            sentence: """
                A row of the table cannot be read as its columns. A spreadsheet or an editor changed it. Take the file \
                that was exported.
                """),
        CodeEntry(
            .lineCell, .loss,
            "a cell is not spelled as a value of its column's type",
            places: [
                Place(.line, "the row, counted with the header as line 1"),
                Place(.pointer, "the first such member of the item that the row stands for"),
            ],
            damages: .line,
            sentence: """
                A cell does not have the spelling that an export gives its value. A spreadsheet that converts numbers \
                and dates does this. Take the file that was exported.
                """),
    ]

    private static let canonical: [CodeEntry] = [
        CodeEntry(
            .canonicalSyntax, .loss,
            "not JSON",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the first byte that no JSON text can have there"),
            ],
            damages: .line,
            sentence: """
                The line is no JSON text: it is damaged or was cut. The line was not examined further. Take the file \
                that was exported.
                """),
        CodeEntry(
            .canonicalByteOrderMark, .loss,
            "the line starts with a byte order mark",
            places: [
                Place(.line, "the line"),
                Place(.byte, "0"),
            ],
            damages: .line,
            sentence: """
                An editor put a byte order mark before the text. The line was not examined further. Take the file that \
                was exported.
                """),
        CodeEntry(
            .canonicalUTF8, .loss,
            "bytes that are not UTF-8",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the first byte of the bad sequence"),
            ],
            damages: .line,
            sentence: """
                Bytes of the line are no text: they were damaged, or saved in another encoding. The line was not \
                examined further. Take the file that was exported.
                """),
        CodeEntry(
            .canonicalSurrogate, .loss,
            "an escape that is a lone surrogate",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the backslash"),
            ],
            damages: .line,
            sentence: """
                An escape stands for half of a character, which no text has. The line was not examined further. Take \
                the file that was exported.
                """),
        CodeEntry(
            .canonicalDuplicateKey, .loss,
            "two members of an object with equal keys",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the opening quote of the second key"),
            ],
            damages: .line,
            sentence: """
                An object has one member twice, so that readers may take either value. The line was not examined \
                further. Take the file that was exported.
                """),
        CodeEntry(
            .canonicalNumberRange, .loss,
            "a number whose nearest double is infinite",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the first byte of the number"),
            ],
            damages: .line,
            sentence: """
                A number is larger than any that can be stored. The line was not examined further. Take the file that \
                was exported.
                """),
        CodeEntry(
            .canonicalDepth, .loss,
            "nesting deeper than the limit",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the bracket that is too deep"),
            ],
            damages: .line,
            sentence: """
                Objects or arrays are nested deeper than a verifier follows. The line was not examined further. Take \
                the file that was exported.
                """),
        CodeEntry(
            .canonicalWhiteSpace, .form,
            "white space between tokens",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the first byte of it"),
            ],
            damages: .line,
            sentence: """
                The line says what it says in another spelling than the one that is hashed. A program formatted it \
                anew. The line was not examined further. Take the file that was exported.
                """),
        CodeEntry(
            .canonicalKeyOrder, .form,
            "a key that sorts before the key before it",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the opening quote of the key"),
            ],
            damages: .line,
            sentence: """
                The line says what it says in another spelling than the one that is hashed. A program formatted it \
                anew. The line was not examined further. Take the file that was exported.
                """),
        CodeEntry(
            .canonicalEscape, .form,
            "an escape that is not needed or is spelled otherwise",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the backslash"),
            ],
            damages: .line,
            sentence: """
                The line says what it says in another spelling than the one that is hashed. A program formatted it \
                anew. The line was not examined further. Take the file that was exported.
                """),
        CodeEntry(
            .canonicalNumber, .form,
            "a number that is not in its canonical text",
            places: [
                Place(.line, "the line"),
                Place(.byte, "the first byte of the number"),
            ],
            damages: .line,
            sentence: """
                The line says what it says in another spelling than the one that is hashed. A program formatted it \
                anew. The line was not examined further. Take the file that was exported.
                """),
    ]

    private static let shape: [CodeEntry] = [
        CodeEntry(
            .shapeFormatVersion, .loss,
            "`format` or `format_version` is not one that this verifier knows",
            places: [
                Place(.line, "the header"),
                Place(.pointer, "the member"),
            ],
            damages: .all,
            sentence: """
                The file is in a format, or a version of it, that this verifier does not know. Nothing else of it was \
                judged. Use a verifier that knows it.
                """),
        CodeEntry(
            .shapeMemberMissing, .loss,
            "a required member is absent",
            places: [
                Place(.line, "the line"),
                Place(.pointer, "the member that is absent"),
            ],
            damages: .line,
            sentence: """
                Something that must be stated is not there, and no defect says why. The values of this line were not \
                compared with each other. Take the file that was exported; where it is that file, report it to whoever \
                made the tool.
                """),
        CodeEntry(
            .shapeMemberUnknown, .loss,
            "a member that this specification does not name there",
            places: [
                Place(.line, "the line"),
                Place(.pointer, "the member"),
            ],
            damages: .line,
            sentence: """
                The line states something that this format does not have. It was added, or another tool wrote the \
                file.
                """),
        CodeEntry(
            .shapeType, .loss,
            "a member has another JSON type",
            places: [
                Place(.line, "the line"),
                Place(.pointer, "the member"),
            ],
            damages: .line,
            sentence: """
                A value is of another kind than it must be, as text in the place of a number. It was changed, or \
                another tool wrote the file.
                """),
        CodeEntry(
            .shapeValue, .loss,
            "a member has the right JSON type and a value that it cannot have, by itself or beside the others",
            places: [
                Place(.line, "the line"),
                Place(.pointer, "the member"),
            ],
            damages: .line,
            sentence: """
                A value is none that can stand there, or two values of a line exclude each other. It was changed, or \
                another tool wrote the file.
                """),
    ]

    private static let item: [CodeEntry] = [
        CodeEntry(
            .itemHash, .contradiction,
            "the item hash does not match the item",
            places: [Place(.line, "the item's line")],
            sentence: """
                The item is not what was hashed when it was exported: a value, or the hash, was changed. Do not rely \
                on this item; take the file that was exported, or compare with the archive.
                """),
        CodeEntry(
            .itemMetadataHash, .contradiction,
            "`metadata_hash` does not match `metadata`",
            places: [
                Place(.line, "the item's line"),
                Place(.pointer, "`/item/metadata_hash`"),
            ],
            sentence: """
                The metadata of the item are not those that were captured. The item hash matches, so that whoever \
                changed them computed it anew, or the archive was changed before the export.
                """),
        CodeEntry(
            .itemPayloadHash, .contradiction,
            "`payload_hash` does not match the members that it covers",
            places: [
                Place(.line, "the item's line"),
                Place(.pointer, "`/item/payload_hash`"),
            ],
            sentence: """
                Dates, value, unit, source, device or metadata of the item are not those that were captured. The item \
                hash matches, so that whoever changed them computed it anew, or the archive was changed before the \
                export.
                """),
        CodeEntry(
            .itemStrictFingerprint, .contradiction,
            "`strict_fingerprint` is not that of the item, whatever its ordinal",
            places: [
                Place(.line, "the item's line"),
                Place(.pointer, "`/item/strict_fingerprint`"),
            ],
            sentence: """
                The item says that it is another sample than its values give. Its identity was changed, or the archive \
                was changed before the export.
                """),
        CodeEntry(
            .itemAlikeLimit, .loss,
            "not known whether `strict_fingerprint` holds: the file asks for more ordinals than are tried for one",
            places: [
                Place(.line, "the item's line"),
                Place(.pointer, "`/item/strict_fingerprint`"),
            ],
            sentence: """
                So many items of the file are alike that this fingerprint was not recomputed. The other hashes of the \
                item were. Verify a smaller part of the evidence, by sample type or by date.
                """),
        CodeEntry(
            .itemSemanticFingerprint, .contradiction,
            "`semantic_fingerprint` is not that of the item's family",
            places: [
                Place(.line, "the item's line"),
                Place(.pointer, "`/item/semantic_fingerprint`"),
            ],
            sentence: """
                The fingerprint by which the item is found in another representation does not follow from it. It was \
                changed, or the archive was changed before the export.
                """),
        CodeEntry(
            .itemPrivateMetadata, .contradiction,
            "the value of a private metadata key is no hash",
            places: [
                Place(.line, "the item's line"),
                Place(.pointer, "`/item/metadata`"),
            ],
            sentence: """
                A name, an account or a link may stand in the item in clear, or its hash was changed. The item hash \
                matches, so that whoever changed it computed it anew, or the archive was changed before the export. Do \
                not pass the file on before you have looked.
                """),
        CodeEntry(
            .itemShared, .contradiction,
            "metadata of a shared record have a key that it may not have, or are no object with members",
            places: [
                Place(.line, "the item's line"),
                Place(.pointer, "`/item/metadata`"),
            ],
            sentence: """
                The header says that metadata of other apps and private metadata were left out, and this record has \
                some. Do not pass the file on before you have looked.
                """),
    ]

    private static let order: [CodeEntry] = [
        CodeEntry(
            .orderItems, .contradiction,
            "an item sorts before the item before it",
            places: [Place(.line, "the item's line")],
            sentence: """
                Items are not in the order that an export has. They were moved, or another tool wrote the file. No \
                value is wrong because of it.
                """),
        CodeEntry(
            .orderRepeated, .contradiction,
            """
            an item repeats the item before it: byte for byte, a type manifest of the same type, or a row of a \
            comparison for the same whole type
            """,
            places: [Place(.line, "the item's line")],
            sentence: """
                An item is there twice. It counts twice in whatever reads the file. Take the file that was exported.
                """),
        CodeEntry(
            .orderCoverage, .contradiction,
            "entries of the header (coverage, filter, observations, changes) are not sorted or repeat",
            places: [
                Place(.line, "the header"),
                Place(.pointer, "the array"),
            ],
            sentence: """
                Lists in the header are not in their order, or state something twice. Another tool wrote the file, or \
                the header was changed.
                """),
    ]

    private static let manifest: [CodeEntry] = [
        CodeEntry(
            .manifestExportID, .contradiction,
            "the export id does not match the header",
            places: [Place(.line, "the header")],
            sentence: """
                The header is not the one that the export id was made from: scope, coverage or another part of it was \
                changed.
                """),
        CodeEntry(
            .manifestTotals, .contradiction,
            "the totals are not what the items add up to; the `missing` of a salvage is not what its items leave",
            places: [
                Place(.line, "the manifest's line; of `missing`, the salvage's header"),
                Place(.pointer, "the first member that differs"),
            ],
            sentence: """
                The file states other numbers than it contains. Items were removed, added or replaced, or the totals \
                were changed.
                """),
        CodeEntry(
            .manifestHash, .contradiction,
            "the manifest hash does not match header, item hashes and totals",
            places: [Place(.line, "the manifest's line")],
            sentence: """
                The items are not those that the export was sealed with, or not in that order. Something was removed, \
                added, replaced or moved. Take the file that was exported, or compare with the archive.
                """),
        CodeEntry(
            .manifestScope, .contradiction,
            "an item that the scope, the filter or the coverage of the header excludes",
            places: [Place(.line, "the item's line")],
            sentence: """
                An item is there that this export cannot have. It came from another export, or the header was changed.
                """),
        CodeEntry(
            .manifestRelationships, .contradiction,
            "relationships with both ends in scope do not pair",
            sentence: """
                One record names another as related, and the other does not say so. A relationship was removed or \
                added on one side.
                """),
    ]

    private static let archive: [CodeEntry] = [
        CodeEntry(
            .archiveExportUnknown, .contradiction,
            "the archive has no record of this export id",
            sentence: """
                The archive does not know this export. It came from another archive, was exported without a record, or \
                its header was changed.
                """),
        CodeEntry(
            .archiveManifestHash, .contradiction,
            "the recorded manifest hash is another",
            sentence: """
                The archive recorded this export with other content. The file was changed and sealed anew, or the \
                record was changed.
                """),
        CodeEntry(
            .archiveRecordCount, .contradiction,
            "the recorded item count is another",
            sentence: "The archive recorded this export with another number of items."),
        CodeEntry(
            .archiveScope, .contradiction,
            """
            the recorded kind, observations or filter are others, or the archive states other `identity_rules` \
            than the header
            """,
            sentence: "The archive recorded this export with another question than the header states."),
        CodeEntry(
            .archiveItemUnknown, .contradiction,
            "an item of the file is not among the recorded items",
            places: [Place(.line, "the item's line")],
            sentence: """
                The file has an item that the archive did not export. It was added or changed afterwards, or the \
                record was changed.
                """),
        CodeEntry(
            .archiveItemAbsent, .contradiction,
            "a recorded item is not in the file",
            sentence: "The archive exported an item that the file lacks. It was removed or changed afterwards."),
        CodeEntry(
            .archiveItemHash, .contradiction,
            "an item was recorded with another hash",
            places: [Place(.line, "the item's line")],
            sentence: """
                An item is not what the archive exported. It was changed afterwards and sealed anew, or the record was \
                changed.
                """),
        CodeEntry(
            .archiveEvidenceHeader, .contradiction,
            "the archive gives the export another header: observations, device chain or coverage",
            sentence: """
                The archive's rows of the observation or its coverage are not what they were when the export was made. \
                They were changed, or the header was.
                """),
        CodeEntry(
            .archiveHistory, .contradiction,
            "the archive's history does not have the entry that the header carries",
            sentence: """
                The archive has not the history any more that it had when the export was made: it was taken back to \
                before that, or written anew. Compare with a copy of the archive.
                """),
        CodeEntry(
            .archiveEvidenceUnknown, .contradiction,
            "the archive's evidence gives no such item",
            places: [Place(.line, "the item's line")],
            sentence: """
                The archive no longer has what this item was made of. Rows were removed or changed, or the item was \
                added. Compare with a copy of the archive.
                """),
        CodeEntry(
            .archiveEvidenceAbsent, .contradiction,
            "the archive's evidence gives an item that is not in the file",
            sentence: """
                The archive's rows give an item that was not exported then. Rows were added or changed, or the item \
                was removed from the file.
                """),
        CodeEntry(
            .archiveEvidenceChanged, .contradiction,
            "the archive's evidence gives the item with other contents",
            places: [Place(.line, "the item's line")],
            sentence: """
                The rows that this item was made of say something else now, though what was recorded may still agree. \
                The archive or the item was changed. Compare with a copy of the archive.
                """),
        CodeEntry(
            .archiveChanged, .loss,
            "the archive changed while it was read",
            sentence: """
                Another program wrote to the archive meanwhile, so that what was read may not fit together. Verify \
                again when nothing writes to it.
                """),
    ]

    private static let sqlite: [CodeEntry] = [
        CodeEntry(
            .sqliteIntegrity, .loss,
            "a line of `PRAGMA integrity_check`, or a page that is used twice",
            sentence: """
                SQLite found the file damaged. Do not write to it. Take a backup, or recover what is left with the \
                `.recover` command of `sqlite3`.
                """),
        CodeEntry(
            .sqliteUnreadable, .loss,
            "SQLite could not read what a check needs, so that check was not made to its end",
            sentence: """
                Part of the file cannot be read, so that a check is not complete. Do not write to it. Take a backup, \
                or recover what is left with the `.recover` command of `sqlite3`.
                """),
        CodeEntry(
            .sqliteLog, .loss,
            "SQLite uses nothing of the `-wal` beside the archive, which has content",
            sentence: """
                The file that holds the newest transactions is damaged or another file, so that they are not read. The \
                next program that writes to the archive overwrites it. Take a copy of the archive with the `-wal` file \
                before anything else.
                """),
    ]

    private static let schema: [CodeEntry] = [
        CodeEntry(
            .schemaColumn, .contradiction,
            "a column has another type, NOT NULL, default or place in the key",
            places: [
                Place(.table, "the table"),
                Place(.column, "the column"),
            ],
            sentence: """
                A table is not made as the schema says. Another tool made or altered it. Values are as they are; what \
                the column promises is not enforced.
                """),
        CodeEntry(
            .schemaForeignKey, .contradiction,
            "a foreign key is not there",
            places: [Place(.table, "the table")],
            sentence: """
                Nothing keeps these ids from naming rows that do not exist. The check `references` says whether one \
                does.
                """),
        CodeEntry(
            .schemaUnique, .contradiction,
            "a key, or an index that must be unique, is not there",
            places: [Place(.table, "the table")],
            sentence: "Nothing keeps these rows from being there twice. The check `identities` says whether one is."),
        CodeEntry(
            .schemaIndex, .form,
            "an index is not there",
            places: [Place(.table, "the table")],
            sentence: "Reading is slower without the index. No evidence is missing because of it."),
    ]

    private static let references: [CodeEntry] = [
        CodeEntry(
            .referencesMissingRow, .loss,
            "an id names a row that does not exist",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A row refers to another one that is gone. What that one said is not known. Exports state it as a \
                defect. Keep the archive as it is, and compare it with a backup. A record of an export \
                (export_manifests) whose observation is missing is removed by hp-export repair --exports.
                """)
    ]

    private static let values: [CodeEntry] = [
        CodeEntry(
            .valuesStorageClass, .contradiction,
            "a value has another storage class than its column",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A value is stored as another kind than it must be, and exports carry it as a defect, bit for bit. \
                Another tool wrote it, or it was changed. Keep the archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .valuesNull, .loss,
            "NULL in a column that is NOT NULL",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A value that must be there is not. Exports state it as a defect. Keep the archive as it is, and \
                compare it with a backup.
                """),
        CodeEntry(
            .valuesNotFinite, .contradiction,
            "a number that is not finite",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A number is infinite or none. Exports carry it as a defect, bit for bit. Keep the archive as it is, \
                and compare it with a backup.
                """),
        CodeEntry(
            .valuesIntegerRange, .contradiction,
            "an integer beyond 2^53−1 in magnitude",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                An integer is larger than JSON carries exactly. Exports carry it as a defect, digit for digit.
                """),
        CodeEntry(
            .valuesCount, .contradiction,
            "a negative count",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "A count is below zero, so that it was not counted. It was changed, or another tool wrote it."),
        CodeEntry(
            .valuesUTF8, .contradiction,
            "text that is not UTF-8",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A text has bytes that are no text. Exports carry it as a defect, byte for byte. Keep the archive as it \
                is, and compare it with a backup.
                """),
        CodeEntry(
            .valuesNul, .contradiction,
            "text that holds U+0000",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A text holds a NUL, behind which some programs do not read. Exports carry it as a defect, byte for \
                byte.
                """),
        CodeEntry(
            .valuesDateRange, .contradiction,
            "a date outside the years 1 to 9999",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A date cannot be written as a timestamp. Exports carry it as a defect, bit for bit. Keep the archive \
                as it is, and compare it with a backup.
                """),
        CodeEntry(
            .valuesDates, .contradiction,
            "a bucket that ends before it starts",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "A bucket has no length in time. `hp-export repair` rebuilds it from the evidence."),
        CodeEntry(
            .valuesWord, .contradiction,
            "a status or kind that is not known",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A word is none that the schema's rules name, so that it is not known what the row says. Another \
                version of a tool may have written it.
                """),
        CodeEntry(
            .valuesHash, .contradiction,
            "a hash without 64 lower-case hex digits",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A hash is none, so that nothing can be compared with it. It was changed, or another tool wrote it. \
                Keep the archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .valuesMetadata, .contradiction,
            "metadata that is no canonical JSON object",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                Metadata are not in the form that is hashed. Exports carry them as text. Another tool wrote them, or \
                they were changed.
                """),
    ]

    private static let manifests: [CodeEntry] = [
        CodeEntry(
            .manifestsManifestHash, .contradiction,
            "a manifest hash without 64 lower-case hex digits",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The record of an export has no hash that a file could be compared with. Keep the exported file: it \
                still verifies by itself.
                """),
        CodeEntry(
            .manifestsItemHash, .contradiction,
            "an item hash without 64 lower-case hex digits",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The record of an export has no hash for one of its items. Keep the exported file: it still verifies by \
                itself.
                """),
        CodeEntry(
            .manifestsRecordCount, .contradiction,
            "another count than rows in `export_items`, or than items in a report that has no rows there",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The record of an export is incomplete, or was changed. `hp-verify reproduce` says which items it \
                should have.
                """),
        CodeEntry(
            .manifestsFilter, .contradiction,
            "`filter_json` is no JSON object, or not canonical",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                It is not known what was asked for in this export, so that it cannot be recomputed. Keep the exported \
                file.
                """),
        CodeEntry(
            .manifestsOtherChain, .contradiction,
            "the two observations of an export other than a pair report are of two chains",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                An export compares observations that have nothing to do with each other. Its record was changed, or \
                another tool made it.
                """),
    ]

    private static let evidence: [CodeEntry] = [
        CodeEntry(
            .evidenceFirstSeen, .contradiction,
            """
            a sample was first seen in another observation, or at another time, than its events and relationships \
            say
            """,
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                When a record was seen first was changed, or events of it were removed. Keep the archive as it is, and \
                compare it with a backup.
                """),
        CodeEntry(
            .evidenceCreated, .contradiction,
            "a version was made in another observation than its events say",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                When a representation of a record was seen first was changed, or events of it were removed. Keep the \
                archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceObservedAt, .contradiction,
            "an event is dated otherwise than its observation",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The date of an event or of an observation was changed. Keep the archive as it is, and compare it with \
                a backup.
                """),
        CodeEntry(
            .evidenceEvidenceKind, .contradiction,
            "an event states a kind of evidence that its kind, its run or its source cannot give",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                How it is known that a record was seen or is gone was changed. Keep the archive as it is, and compare \
                it with a backup.
                """),
        CodeEntry(
            .evidenceRunCounts, .contradiction,
            "a type run counts other events than there are",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A count was changed, or events were removed or added. Keep the archive as it is, and compare it with a \
                backup.
                """),
        CodeEntry(
            .evidenceRunMissing, .contradiction,
            "an event or a summary is of a type that has no run in its observation",
            places: [Place(.table, "the table")],
            sentence: """
                A type run was removed. How the type was asked for, and whether it completed, is not known. Keep the \
                archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceUuid, .contradiction,
            "a sample that a health store named by its UUID has no hash of one, or one of an export has",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The identifier of a record was removed or added: it would be taken for another record by the next \
                capture. Keep the archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceStatus, .contradiction,
            "an observation has a status that its type runs contradict",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                An observation says of itself that it went better or worse than its type runs did. What it did not see \
                may count as gone. Keep the archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceLoggedStatus, .contradiction,
            "an observation has another status than the context log states for its end",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The status of an observation was changed after its capture. Keep the archive as it is, and compare it \
                with a backup.
                """),
        CodeEntry(
            .evidenceLog, .contradiction,
            "an entry of the context log is not there: ids have a gap",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                An entry of the context log was removed. What happened to the archive then is not known. Keep the \
                archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceLogEmpty, .contradiction,
            "the context log is empty",
            places: [Place(.table, "the table")],
            sentence: """
                All entries of the context log were removed. What happened to the archive is not known. Keep the \
                archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceTypeSet, .contradiction,
            "a set of types is stored under another hash than that of its list",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                Which types an observation asked for was changed. Keep the archive as it is, and compare it with a \
                backup.
                """),
        CodeEntry(
            .evidenceZoneRules, .contradiction,
            """
            rules of a time zone are damaged, are not there, are those of no observation, or contradict the offset \
            of their observation
            """,
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                What the local days of an observation were is not certain. Keep the archive as it is, and compare it \
                with a backup.
                """),
        CodeEntry(
            .evidenceWithdrawn, .contradiction,
            "an observation that was withdrawn is there",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                An observation that was taken back is there again, or another one has its id. Keep the archive as it \
                is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceEventVersion, .contradiction,
            "an event names a version of another sample",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                An event says that another record was seen. Keep the archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceRunDates, .contradiction,
            "a type run has a date outside its observation",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                When a type was asked for was changed. Keep the archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceSchemaVersion, .contradiction,
            "an observation states another version of the schema",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "An observation was changed. Keep the archive as it is, and compare it with a backup."),
        CodeEntry(
            .evidenceTypeSetMissing, .contradiction,
            "an observation names a set of types that is not stored",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                Which types an observation asked for was removed. Keep the archive as it is, and compare it with a \
                backup.
                """),
        CodeEntry(
            .evidenceWithdrawnLog, .contradiction,
            "the context log and the list of withdrawn observations disagree",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "What was taken back was changed. Keep the archive as it is, and compare it with a backup."),
        CodeEntry(
            .evidenceRejected, .contradiction,
            "a range of a rejected record begins or ends with an observation that cannot have begun or ended it",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                When a record that could not be stored was there was changed. A record that is missing may count as \
                gone, or as withheld. Keep the archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .evidenceLinkEnd, .contradiction,
            "a relationship ends with an observation that cannot have ended it",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                Since when two records are no longer related was changed, or the relationship was removed. Keep the \
                archive as it is, and compare it with a backup.
                """),
    ]

    private static let ranges: [CodeEntry] = [
        CodeEntry(
            .rangesObservationOrder, .contradiction,
            "an observation is dated before one with a smaller id on its chain",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                Observations are not in the order of time. A clock was set back between two captures, or a date was \
                changed. Durations between them are not known.
                """),
        CodeEntry(
            .rangesInverted, .contradiction,
            "a range ends before it begins",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "A range of visibility cannot be true. `hp-export repair` rebuilds it from the evidence."),
        CodeEntry(
            .rangesOtherChain, .contradiction,
            "a range ends on another chain",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A range begins at one device and ends at another. `hp-export repair` rebuilds it from the evidence.
                """),
        CodeEntry(
            .rangesEnd, .contradiction,
            "one of `last_observation_id` and `last_seen_at` is there without the other",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "It is not clear whether a range has ended. `hp-export repair` rebuilds it from the evidence."),
        CodeEntry(
            .rangesVersion, .contradiction,
            "a range names a version of another sample",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "A range shows values of another sample. `hp-export repair` rebuilds it from the evidence."),
        CodeEntry(
            .rangesOpenTwice, .contradiction,
            "a sample has a second open range on a chain",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "A sample would be counted twice. `hp-export repair` rebuilds it from the evidence."),
        CodeEntry(
            .rangesOverlap, .contradiction,
            "two ranges of a sample overlap on a chain",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A sample would be counted twice for some observations. `hp-export repair` rebuilds it from the \
                evidence.
                """),
        CodeEntry(
            .rangesEvent, .contradiction,
            "an event that cannot follow the one before",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The events of a sample contradict each other: it appears while it is visible, or changes while it is \
                not. Events are evidence and are never rebuilt. Keep the archive as it is, and compare it with a \
                backup.
                """),
        CodeEntry(
            .rangesMissing, .contradiction,
            "an event begins a range that is not stored",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
            ],
            sentence: """
                A record that was seen is missing in what reports read. `hp-export repair` rebuilds it from the \
                evidence.
                """),
        CodeEntry(
            .rangesNoEvent, .contradiction,
            "no event begins a stored range",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
            ],
            sentence: """
                A record is shown that no event accounts for. An event was removed, or the range was added. Keep the \
                archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .rangesEndDiffers, .contradiction,
            "a range ends elsewhere than its events say",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A record is shown for too long, or too short. `hp-export repair` rebuilds it from the evidence.
                """),
        CodeEntry(
            .rangesTimes, .contradiction,
            "a range has other dates than its events",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A range is right in its observations and wrong in its dates. `hp-export repair` rebuilds it from the \
                evidence.
                """),
    ]

    private static let identities: [CodeEntry] = [
        CodeEntry(
            .identitiesUuid, .contradiction,
            "two samples of a type have one UUID hash",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                One record of the source may be there as two samples, and counts twice. Keep the archive as it is, and \
                compare it with a backup.
                """),
        CodeEntry(
            .identitiesFingerprint, .contradiction,
            "two samples of a type have one strict fingerprint",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                Two samples cannot be told apart where no UUID is known. One may be a copy of the other. Keep the \
                archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .identitiesTypeTwin, .contradiction,
            "two types have identifiers that are equal after Unicode normalization",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                Two types look the same to a reader, and their records are counted apart. Another tool wrote one of \
                them.
                """),
        CodeEntry(
            .identitiesDuplicateRow, .contradiction,
            "a row repeats the columns of a key",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: "A row is there twice, and may count twice. A key was lost, or another tool wrote it."),
        CodeEntry(
            .identitiesMetadataHash, .contradiction,
            "`metadata_hash` does not match `metadata_json`",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                Metadata are not those that were captured, or their hash was changed. Keep the archive as it is, and \
                compare it with a backup.
                """),
        CodeEntry(
            .identitiesPayloadHash, .contradiction,
            "`payload_hash` does not match the version",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A version's values are not those that were captured, or its hash was changed. Keep the archive as it \
                is, and compare it with a backup.
                """),
        CodeEntry(
            .identitiesStrictFingerprint, .contradiction,
            "`strict_fingerprint` is not that of the sample, whatever its ordinal",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A sample's first values are not those that were captured, or its fingerprint was changed. Keep the \
                archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .identitiesSemanticFingerprint, .contradiction,
            "`semantic_fingerprint` is not that of the sample's first version",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A sample's first values are not those that were captured, or its semantic fingerprint was changed. \
                Keep the archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .identitiesFuzzyKey, .contradiction,
            "`fuzzy_key` is not that of the sample's first version",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A sample's first values are not those that were captured, or its fuzzy key was changed. Keep the \
                archive as it is, and compare it with a backup.
                """),
    ]

    private static let aggregates: [CodeEntry] = [
        CodeEntry(
            .aggregatesSummary, .contradiction,
            "a summary says something else than ranges and events",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A count or sum that was derived from the evidence differs from it. The evidence itself is not \
                affected. `hp-export repair` rebuilds it from the evidence.
                """),
        CodeEntry(
            .aggregatesBucket, .contradiction,
            "a bucket says something else than ranges",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A count or sum of a day that was derived from the evidence differs from it. The evidence itself is not \
                affected. `hp-export repair` rebuilds it from the evidence.
                """),
        CodeEntry(
            .aggregatesMissing, .contradiction,
            "a summary or bucket that must be there is not",
            places: [Place(.table, "the table")],
            sentence: """
                A derived count is missing. The evidence itself is not affected. `hp-export repair` rebuilds it from \
                the evidence.
                """),
        CodeEntry(
            .aggregatesHash, .contradiction,
            "`aggregate_hash` does not match its row",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                A derived row was changed after it was written. The evidence itself is not affected. `hp-export \
                repair` rebuilds it from the evidence.
                """),
        CodeEntry(
            .aggregatesTypeState, .contradiction,
            """
            what a type run states of its type (state, discontinuity, counts, the last observation that verified \
            it) does not follow from the runs
            """,
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                How sure the archive says it is of a type does not follow from its own runs. Records, events and \
                ranges are not affected. Keep the archive as it is, and compare it with a backup.
                """),
    ]

    private static let exports: [CodeEntry] = [
        CodeEntry(
            .exportsQuestion, .contradiction,
            "a recorded export states hp-export as its generator and a question that it does not ask",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The record of an export was changed, so it cannot be recomputed. The exported file verifies by itself.
                """),
        CodeEntry(
            .exportsHeader, .contradiction,
            "recomputed, an export has another header",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                What the archive says of observations, coverage or its device chain changed since the export. The \
                exported file shows what it said then.
                """),
        CodeEntry(
            .exportsManifestHash, .contradiction,
            "recomputed, an export has the same header and items, and another manifest hash",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id"),
                Place(.column, "the column"),
            ],
            sentence: """
                The recorded manifest hash, or what was counted, was changed since the export. The exported file shows \
                what it was.
                """),
        CodeEntry(
            .exportsItemUnknown, .contradiction,
            "recomputed, an export has an item that was not recorded",
            places: [Place(.table, "the table")],
            sentence: """
                Evidence for an earlier observation was added since the export. Evidence of the past is not added to \
                by a capture.
                """),
        CodeEntry(
            .exportsItemAbsent, .contradiction,
            "recomputed, an export lacks a recorded item",
            places: [Place(.table, "the table")],
            sentence: "Evidence for an earlier observation is no longer there. The exported file still has it."),
        CodeEntry(
            .exportsItemHash, .contradiction,
            "recomputed, an item has another hash",
            places: [Place(.table, "the table")],
            sentence: """
                Evidence for an earlier observation was changed since the export. The exported file shows what it was.
                """),
    ]

    private static let history: [CodeEntry] = [
        CodeEntry(
            .historyEntry, .contradiction,
            "a row does not have the form, the version, the sequence or the observation of its entry",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                An entry of the history was changed or damaged. What it covered cannot be compared. Keep the archive \
                as it is, and compare it with a backup.
                """),
        CodeEntry(
            .historyLink, .contradiction,
            "a link is not the hash of its entry",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                An entry of the history was changed, or its link was. Keep the archive as it is, and compare it with a \
                backup.
                """),
        CodeEntry(
            .historyPrevious, .contradiction,
            "an entry does not name the link before it, or names another archive than the first entry",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                An entry of the history was removed, added, or moved. Keep the archive as it is, and compare it with a \
                backup.
                """),
        CodeEntry(
            .historyIdentity, .contradiction,
            "the identity in the entries does not follow from the salt and the first entry",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                The salt or the first entry of the history was changed, so no commitment can be compared. Keep the \
                archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .historyState, .contradiction,
            "an entry may not follow the entries before it",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                An entry names an observation that was named before, withdraws one that is not the newest, or states \
                smaller ids than the entry before. The tools never write that. Compare the archive with a backup, and \
                with a head that you kept.
                """),
        CodeEntry(
            .historyRows, .contradiction,
            "the rows of a table do not fit the commitment of their entry",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                Evidence was changed, removed or added after the observation ended. Another check may say what; else \
                only a backup does. Keep the archive as it is, and compare it with a backup.
                """),
        CodeEntry(
            .historyObservation, .contradiction,
            "an observation, its type runs or its facts do not fit the commitment of its entry",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                What an observation says of itself was changed after it ended. Keep the archive as it is, and compare \
                it with a backup.
                """),
        CodeEntry(
            .historyObservationMissing, .contradiction,
            "a live observation is not in the archive",
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                An observation was removed by something else than `hp-export undo`. Keep the archive as it is, and \
                compare it with a backup.
                """),
        CodeEntry(
            .historyNoEntry, .contradiction,
            """
            an observation is not newer than the newest entry of the history and has no entry, or a row belongs to \
            no entry
            """,
            places: [
                Place(.table, "the table"),
                Place(.row, "the row id, which is the sequence of the entry"),
                Place(.column, "the column"),
            ],
            sentence: """
                An observation or a row was added behind the history, or an observation that was withdrawn is there \
                again. Compare the archive with a backup.
                """),
        CodeEntry(
            .historyRewound, .contradiction,
            "the archive has fewer entries than the head states",
            sentence: """
                The archive is an older copy, or its newest observations were removed with their entries. A newer copy \
                has them.
                """),
        CodeEntry(
            .historyForked, .contradiction,
            "the entry at the length of the head has another link, or the chain is broken",
            sentence: """
                The archive went on otherwise than when the head was kept: it was rewritten, or an older copy of it \
                was captured into. Compare both by their exports.
                """),
        CodeEntry(
            .historyAnotherArchive, .contradiction,
            "the archive has another identity than the head states",
            sentence: "The head was kept of another archive, or this archive was made anew in its place."),
        CodeEntry(
            .historyWithdrawnSince, .contradiction,
            "observations that the head covers were withdrawn after it",
            sentence: """
                `hp-export undo` took them back, or somebody wrote what it writes. If you undid them, keep a new head: \
                `hp-export list ARCHIVE observations` shows it. If not, compare the archive with a backup.
                """),
        CodeEntry(
            .historyUnanswered, .contradiction,
            "a head was given, and a check that the answer needs could not be made",
            sentence: """
                Whether the archive extends the head is unknown. The notes and the other checks say what could not be \
                looked at; compare the archive with a backup.
                """),
    ]

    private static let signature: [CodeEntry] = [
        CodeEntry(
            .signatureUnsigned, .loss,
            "there is no signature next to the file",
            sentence: """
                Nobody can be named who signed the file. Ask for FILE.sig, or name the signature with --signature.
                """),
        CodeEntry(
            .signatureStatement, .loss,
            "the file has no statement that a signature could cover",
            sentence: """
                A page and a view for people show more than their hashes cover, and a salvage is not an export. Ask \
                for the bundle of the same export, and its signature.
                """),
        CodeEntry(
            .signatureNamespace, .contradiction,
            """
            the signature was made for another purpose, or the allowed signers file does not accept the key for \
            this one
            """,
            sentence: """
                A signature counts for one purpose only: healthprobe-export. Ask for a signature that was made with \
                ssh-keygen -Y sign -n healthprobe-export, or correct the option namespaces of your allowed signers \
                file.
                """),
        CodeEntry(
            .signatureAlgorithm, .contradiction,
            "the signature uses a hash, an algorithm or a key size that is not accepted",
            sentence: """
                Accepted are Ed25519, ECDSA, and RSA of 2048 to 16384 bits with SHA-256 or SHA-512. Ask for a \
                signature by another key.
                """),
        CodeEntry(
            .signatureBad, .contradiction,
            "the signature is not one of the statement by the key that it names",
            sentence: """
                The signature is of another file, or of another version of this file, or it was damaged. The file \
                itself is judged by the other layers. Ask the signer for the statement that was signed and compare it \
                with hp-verify statement FILE.
                """),
        CodeEntry(
            .signatureUnknownKey, .contradiction,
            "the allowed signers file does not have the key",
            sentence: """
                Somebody signed the file, and nothing tells you who. Ask the signer for the public key by another way, \
                compare its fingerprint, and add it to your allowed signers file.
                """),
        CodeEntry(
            .signatureIdentity, .contradiction,
            "the allowed signers file has the key under another name than the one that --identity asks for",
            sentence: """
                The key is one of your allowed signers, but not the expected one. Check which signer was meant.
                """),
        CodeEntry(
            .signatureExpired, .contradiction,
            "the validity period of the key does not include the time on the clock of this computer",
            sentence: """
                The allowed signers file limits the key in time. The time of a good time stamp counts, or without one \
                the clock of this computer. Ask for a signature by a key that is valid then.
                """),
    ]

    private static let timestamp: [CodeEntry] = [
        CodeEntry(
            .timestampMissing, .loss,
            "there is no time stamp next to the file",
            sentence: """
                Nothing shows since when the signature exists. Ask for FILE.tsr, or name the time stamp with \
                --timestamp.
                """),
        CodeEntry(
            .timestampRefused, .loss,
            "the service refused to stamp",
            sentence: "The answer of the service has no time stamp. Ask the service again, or another one."),
        CodeEntry(
            .timestampAlgorithm, .contradiction,
            "the time stamp uses a hash that is not accepted",
            sentence: """
                Accepted are SHA-256, SHA-384 and SHA-512. Ask for a stamp again: openssl ts -query -data FILE.sig \
                -sha256 -cert.
                """),
        CodeEntry(
            .timestampImprint, .contradiction,
            "the time stamp is of another signature",
            sentence: """
                The signature was changed or made again after it was stamped, or the stamp is of another file. Ask for \
                the stamp of this signature.
                """),
        CodeEntry(
            .timestampBad, .contradiction,
            "the time stamp was not signed by the service that it names",
            sentence: """
                The time stamp was changed, or lacks the certificate of the service. Ask for it again with the option \
                -cert of openssl ts -query.
                """),
        CodeEntry(
            .timestampUntrusted, .contradiction,
            "no certificate of the CA file vouches for the service at the time of the stamp",
            sentence: """
                The stamp is by another service, or by one whose certificate was not valid or not for time stamps. Get \
                the certificate of the authority from the service by another way, and name it with --tsa-ca.
                """),
    ]

    private static let entries: [CodeEntry] = [
        CodeEntry(
            .entriesAnotherArchive, .contradiction,
            "the two files are of different archives, or an entry is of another one",
            sentence: "The files cannot be of one history. Ask for files of the archive that the earlier one is of."),
        CodeEntry(
            .entriesUnreadable, .contradiction,
            "a line is not an entry of a history in its canonical form",
            sentence: """
                The file of entries was changed or damaged, or it is another file. Ask for it again: hp-export history \
                ARCHIVE -o FILE.
                """),
        CodeEntry(
            .entriesGap, .loss,
            "an entry between the two files is missing",
            sentence: """
                Without it nothing shows what came between. Ask for all entries after the earlier file: hp-export \
                history ARCHIVE --since N -o FILE.
                """),
        CodeEntry(
            .entriesPrevious, .contradiction,
            "an entry does not name the link of the entry before it",
            sentence: """
                Entries were removed, changed or put together from two histories. Ask for the entries again; if they \
                stay as they are, the later history is not an extension of the earlier one.
                """),
        CodeEntry(
            .entriesState, .contradiction,
            "an entry may not follow the entries before it",
            sentence: """
                An entry names an observation again, withdraws one that is not the newest, or states smaller ids than \
                the entry before. The tools never write that: the history was made by something else.
                """),
        CodeEntry(
            .entriesForked, .contradiction,
            "an entry has another link than one of the files states",
            sentence: """
                The history went on otherwise than when that file was made: the archive was rewritten, or an older \
                copy of it was captured into. Ask for both histories, and compare their exports.
                """),
        CodeEntry(
            .entriesObservation, .contradiction,
            "an export carries an entry that is of another observation",
            sentence: """
                The header of the export was not made from this history. Ask for the export again, and verify it \
                against the archive.
                """),
        CodeEntry(
            .entriesWithdrawn, .contradiction,
            "observations that the earlier file covers were withdrawn after it",
            sentence: """
                The owner of the archive undid these captures, or somebody wrote what undo writes. The earlier file \
                shows records that the later history does not have. Ask for the reason.
                """),
        CodeEntry(
            .entriesRewound, .contradiction,
            "the later file carries an earlier entry than the earlier file",
            sentence: """
                The later file was made from an older copy of the archive, or entries were removed from the end; or \
                the two files are named in the wrong order.
                """),
    ]
}
