internal import Manifest

/// The style of a page, which only improves it.
enum PageStyle {
    /// The style sheet. Texts have a contrast of at least 7:1 in both schemes. Bars are the blue and the sky blue of
    /// the palette of Okabe and Ito, made for every kind of colour vision, with at least 3:1 to what is behind them;
    /// cells have tints of its orange, sky blue, purple and green. No colour says what words do not.
    static let sheet = """

        :root { color-scheme: light dark; --ink: #1a1a1a; --paper: #ffffff; --line: #767676; --band: #f0f2f5;
          --fewer: #ffe3c2; --more: #cfe8f7; --other: #e4e4e4;
          --again: #f3dfec; --condensed: #cdeee3; --bar: #0072b2; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #ececec; --paper: #121212; --line: #8f8f8f; --band: #22262b;
            --fewer: #4d2d00; --more: #00344d; --other: #333333;
            --again: #44253a; --condensed: #003d2d; --bar: #56b4e9; }
        }
        * { box-sizing: border-box; }
        body { margin: 0 auto; padding: .75rem; max-width: 60rem; color: var(--ink); background: var(--paper);
          font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
        h1 { font-size: 1.5rem; line-height: 1.25; max-width: 45rem; margin: .5rem 0; }
        h2 { font-size: 1.25rem; line-height: 1.25; margin: 1.25rem 0 .25rem; }
        h2.none { font-size: 1rem; font-weight: 400; margin: .5rem 0; }
        p, li, dd { max-width: 45rem; }
        main > p { margin: .25rem 0; }
        .wide { --behind: var(--paper); overflow-x: auto; margin: 1rem 0; scrollbar-width: thin;
          background: linear-gradient(90deg, var(--behind) 35%, transparent) left / 2.5rem 100% no-repeat local,
            linear-gradient(-90deg, var(--behind) 35%, transparent) right / 2.5rem 100% no-repeat local,
            linear-gradient(90deg, var(--line), transparent) left / .75rem 100% no-repeat,
            linear-gradient(-90deg, var(--line), transparent) right / .75rem 100% no-repeat; }
        .card .wide { --behind: var(--band); }
        .weeks { table-layout: fixed; width: 100%; max-width: 36rem; }
        .weeks th.n, .weeks td.n { min-width: 0; padding: .25rem; white-space: normal; overflow-wrap: anywhere; }
        .weeks tbody th { padding-top: .6rem; border-bottom: 0; font-size: .875rem; }
        td div + div { font-size: .875rem; }
        td:has(div) { min-width: 14rem; }
        .wide:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
        table { border-collapse: collapse; overflow-wrap: normal; }
        caption { text-align: left; font-weight: 600; padding: .25rem 0 .5rem; overflow-wrap: anywhere; }
        th, td { text-align: left; vertical-align: top; font-weight: 400; padding: .3rem .6rem .3rem .4rem;
          border-bottom: 1px solid var(--line); max-width: 36rem; min-width: 3.5rem; }
        thead th { font-weight: 600; background: var(--band); overflow-wrap: normal; }
        tbody th { min-width: 10rem; max-width: 30rem; overflow-wrap: anywhere; }
        td { min-width: 4.5rem; }
        td.n { min-width: 3.5rem; }
        td bdi { overflow-wrap: anywhere; }
        @media (min-width: 75rem) { tbody th { min-width: 12rem; } }
        .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .fewer { background: var(--fewer); }
        .more { background: var(--more); }
        .other { background: var(--other); }
        .again { background: var(--again); }
        .condensed { background: var(--condensed); }
        .key { display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; list-style: none; }
        .key li { padding: .1rem .6rem; border: 1px solid var(--line); }
        nav ul { display: flex; flex-wrap: wrap; gap: .35rem 1.25rem; padding: 0; list-style: none; }
        h3 { font-size: 1.05rem; margin: 1.5rem 0 .25rem; }
        details { margin: .5rem 0; }
        summary { cursor: pointer; padding: .35rem 0; }
        summary h2 { display: inline; }
        summary:focus-visible, a:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
        figure { margin: 1rem 0; }
        figcaption { margin-bottom: .35rem; }
        .id { font-size: .8em; }
        .counts { max-width: 45rem; display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; margin: .5rem 0;
          list-style: none; }
        .counts li { flex: 1 1 4.5rem; padding: .35rem .5rem; font-size: .875rem; overflow-wrap: normal;
          background: var(--band); }
        .card { margin: .75rem 0; padding: .25rem 1rem .5rem; max-width: 45rem; border-left: 4px solid var(--bar);
          background: var(--band); }
        .card h3 { margin: .25rem 0; }
        .card p { margin: .15rem 0; }
        .counts b { display: block; font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
        dt { font-weight: 600; margin-top: .6rem; }
        dd { margin: 0; }
        svg { max-width: 100%; border-bottom: 1px solid var(--line); }
        .chart { margin: .5rem 0; }
        .chart svg { border: 0; display: block; }
        .chart text { fill: var(--ink); font-size: 10px; text-anchor: middle; }
        .chart .first { text-anchor: start; }
        .chart .last { text-anchor: end; }
        .now { fill: var(--bar); }
        .range, .base { fill: none; stroke: var(--ink); stroke-width: 1; }
        .was { fill: none; stroke: var(--ink); stroke-width: 1; }
        .bar { fill: var(--bar); }
        thead .n { white-space: normal; }
        @media (max-width: 30rem) {
          table { font-size: .8125rem; }
          th, td, td.n { min-width: 0; padding: .3rem .2rem; }
          th.n, td.n { padding: .3rem .1rem; }
          thead th { font-size: .75rem; }
          tbody th { min-width: 3.25rem; }
          caption { max-width: calc(100vw - 1.5rem); }
          .card caption { max-width: calc(100vw - 3.75rem); }
        }
        @media (max-width: 24rem) { thead th { font-size: .6875rem; } }
        a { color: inherit; }
        code { font-family: ui-monospace, monospace; font-size: .9em; }
        @media print {
          :root { font-size: 9pt; --ink: #000000; --paper: #ffffff; --line: #767676; --band: #ffffff;
            --fewer: #ffffff; --more: #ffffff; --other: #ffffff; --again: #ffffff; --condensed: #ffffff;
            --bar: #0072b2; }
          nav { display: none; }
          details:not([open])::details-content { content-visibility: visible; display: block; height: auto; }
          body { max-width: none; padding: 0; font-size: 1rem; }
          .wide { overflow: visible; background: none; }
          thead { display: table-header-group; }
          tr, .counts li, .card { break-inside: avoid; }
          h2, caption { break-after: avoid; }
          table { font-size: 7pt; }
          th, td { min-width: 0; padding: .15rem .3rem .15rem 0; }
          tbody th, td.n { min-width: 0; }
        }

        """

    /// The policy of the page: nothing is asked of anybody, and no style but this one is used.
    static var policy: String {
        let bytes = Array(sheet.utf8)
        let digest = SHA256.digest(of: bytes.span)
        return "default-src 'none'; style-src 'sha256-\(base64(digest.hex))'; base-uri 'none'; form-action 'none'"
    }

    /// Returns the base64 text (RFC 4648, 4) of bytes that are given in hexadecimal digits.
    static func base64(_ hex: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var (text, held, count): ([UInt8], Int, Int) = ([], 0, 0)
        for digit in hex {
            (held, count) = (held << 4 | digit.hexDigitValue!, count + 4)
            guard count >= 6 else { continue }
            count -= 6
            text.append(alphabet[held >> count])
            held &= 1 << count - 1
        }
        if count > 0 { text.append(alphabet[held << (6 - count)]) }
        while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }
}
