import Testing

@testable import CanonicalJSON

/// A list of numbers that is written as an array of objects.
private struct Numbers: JSONValue {
    let numbers: [Int]

    func write(to json: inout Writer) { numbers.lazy.map { ["n": $0] as JSONObject }.write(to: &json) }
}

@Suite struct `Objects of results` {
    // The texts are those of Python: json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).

    @Test func `members are in order, and one without a value is left out`() {
        let (absent, present) = (nil as String?, 3 as Int64?)
        let object: JSONObject = [
            "file": "a \"b\"\n", "absent": absent, "b": present, "a": true, "aa": -1, "list": ["y", "x"],
            "none": [String](),
            "object": ["z": 1.5, "a": [1, 2]] as JSONObject, "": "",
        ]
        #expect(
            String(decoding: object.bytes, as: UTF8.self)
                == #"{"":"","a":true,"aa":-1,"b":3,"file":"a \"b\"\n","list":["y","x"],"none":[],"object":{"a":[1,2],"z":1.5}}"#
        )
        #expect(object.line == object.bytes + [10])
    }

    @Test func `names are in the order of UTF-16`() {
        // U+1F600 is D83D DE00 there, which is less than FB33 (RFC 8785, section 3.2.3).
        let object: JSONObject = ["\u{FB33}": 1, "\u{1F600}": 2, "\u{20AC}": 3, "1": 4]
        #expect(
            String(decoding: object.bytes, as: UTF8.self) == "{\"1\":4,\"\u{20AC}\":3,\"\u{1F600}\":2,\"\u{FB33}\":1}")
    }

    @Test func `objects are made of counts and of other objects`() {
        let counts = JSONObject(["b": 2, "a": 1])
        #expect(
            String(decoding: counts.adding(["ab": [] as [String]]).bytes, as: UTF8.self) == #"{"a":1,"ab":[],"b":2}"#)
        #expect(String(decoding: JSONObject([("y", "1"), ("x", "2")]).bytes, as: UTF8.self) == #"{"x":"2","y":"1"}"#)
        #expect(String(decoding: ([:] as JSONObject).bytes, as: UTF8.self) == "{}")
    }

    @Test func `elements of a lazy sequence are written one by one`() {
        let object: JSONObject = ["numbers": Numbers(numbers: [2, 1])]
        #expect(String(decoding: object.bytes, as: UTF8.self) == #"{"numbers":[{"n":2},{"n":1}]}"#)
    }
}
