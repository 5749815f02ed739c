import CanonicalJSON

// Reads a JSON text in each line of standard input and prints its canonical form (RFC 8785). The last line counts them, as
// canonical JSON that is written member by member. What is no JSON is named with its line, its byte and the rule.

var count = 0
var (alreadyCanonical, invalid) = (0, 0)
while let line = readLine() {
    let text = Array(line.utf8)
    count += 1
    if Validator.isCanonical(text.span) { alreadyCanonical += 1 }
    do throws(JSONError) {
        print(String(decoding: try canonicalize(text.span), as: UTF8.self))
    } catch {
        invalid += 1
        print("line \(count): \(error)")
    }
}

// Members come in the order of their keys: the writer sorts nothing.
var summary = Writer()
summary.beginObject()
summary.member("already_canonical", alreadyCanonical)
summary.member("invalid", invalid)
summary.member("texts", count)
summary.endObject()
print(String(decoding: summary.bytes, as: UTF8.self))
