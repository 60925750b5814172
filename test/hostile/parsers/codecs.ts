import type { StructSchema } from "#/api/base/schema.ts";
import { encodeJson } from "#/machinery/codec/json/encode-json.ts";
import { parseRawJson } from "#/machinery/codec/json/raw-decoder.ts";
import { writeJson } from "#/machinery/codec/json/write-json.ts";
import {
  bodyMediaType,
  bodyPatchType,
  mediaTypes,
  patchTypes,
} from "#/machinery/codec/media-type.ts";
import {
  negotiate,
  resourceOffer,
  routerAccepts,
  wantsPretty,
} from "#/machinery/codec/negotiate.ts";
import {
  type ObjectBody,
  openJsonBody,
  openProtobufBody,
  openYamlBody,
} from "#/machinery/codec/object-body.ts";
import { encodeProtobuf } from "#/machinery/codec/protobuf/protobuf-envelope.ts";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { readYaml } from "#/machinery/codec/yaml/yaml-reader.ts";
import { splitYamlDocuments } from "#/machinery/codec/yaml/yaml-split.ts";
import { applyJsonPatch, decodeJsonPatch } from "#/machinery/patch/json-patch.ts";
import { PatchError } from "#/machinery/patch/values/patch-error.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { map, message, nested, oneof, repeated } from "#/std/protobuf/protobuf.ts";
import { bigInt64, bool, bytes, double, int32, string } from "#/std/protobuf/protobuf-field.ts";
import { WireError } from "#/std/protobuf/protobuf-wire.ts";
import { type HostileParser, hostileParser } from "#/testing/hostile/hostile-parser.ts";
import { readVectors } from "#/testing/vectors.ts";
import { around } from "./growths.ts";

const pod = [...readVectors()].find(({ kind, version }) => kind === "Pod" && version === "v1");
const podSchema = findSchema("", "v1", "Pod") as StructSchema;

const decodePod = (open: (input: Uint8Array) => ObjectBody) => (input: Buffer) =>
  open(input).decode<object>(podSchema, true).value;
const podJson = (value: object) => encodeJson(value, podSchema);

const Inner = message({ name: string(1), count: int32(2) });
const Sample = message({
  text: string(1),
  data: bytes(2),
  flag: bool(3),
  wide: bigInt64(4),
  ratio: double(5),
  inner: nested(6, Inner),
  names: repeated(string(7)),
  numbers: repeated(int32(8)),
  labels: map(9, string, string),
  choice: oneof({ a: int32(10), b: nested(11, Inner) }),
});
const sample = Sample.encode({
  text: "text",
  data: Buffer.of(1, 2),
  flag: true,
  wide: -5n,
  ratio: 1.5,
  inner: { name: "a", count: 3 },
  names: ["b", "c"],
  numbers: [1, -1, 300],
  labels: { d: "e", __proto__x: "f" },
  choice: { b: { name: "g", count: 0 } },
});

const smallJson = '{"a":[1,2.5e3,true,null,"x\\u00e9\\n"],"__proto__":{"b":1},"c":{"d":{}}}';
const smallYaml =
  "a: &x [1, 2.5, yes, ~]\nb: *x\nc: |\n  text\n  more\nd: {e: 'f', \"g\": !!str 1}\n? h\n: - i\n";
const jsonTokens = [
  '{"a":',
  "[",
  "]",
  "}",
  ",",
  '"',
  "\\u",
  "\\ud800",
  "1E",
  "-",
  "__proto__",
  '"__proto__":',
];
const accept =
  "application/json;as=Table;v=v1;g=meta.k8s.io, application/vnd.kubernetes.protobuf;q=0.5,*/*;q=0.1";
const offer = resourceOffer({ tables: true, custom: false });
const document = { a: [1, { b: 2 }], c: { d: "e" } };

export const codecParsers: readonly HostileParser[] = [
  hostileParser({
    name: "json",
    corpus: [smallJson, "[]", '"a"', "-0.5e-3"],
    parse: (input) => parseRawJson(input),
    write: (value) => writeJson(value),
    errors: [DecodeError],
    tokens: jsonTokens,
    grows: [
      "[",
      '{"a":',
      "9",
      "-",
      '"',
      "\\",
      " ",
      around("[", "1,", "1]"),
      around('"', "\\u0041", '"'),
      around('{"b":0', ',"a":1', "}"),
      around("[", "9", "]"),
      around("0.", "9"),
      around("1e", "9"),
    ],
    inputs: 300,
  }),
  hostileParser({
    name: "json pod",
    corpus: [pod?.json ?? ""],
    parse: decodePod(openJsonBody),
    write: podJson,
    errors: [DecodeError],
    tokens: jsonTokens,
    inputs: 50,
  }),
  hostileParser({
    name: "yaml",
    corpus: [smallYaml, "[]", "a"],
    parse: (input) => readYaml(input),
    errors: [DecodeError],
    tokens: [
      "&a ",
      "*a",
      "!!",
      "<<: ",
      "- ",
      ": ",
      "? ",
      "|",
      ">-",
      "%YAML 1.1\n",
      "---\n",
      "...\n",
      "{",
      "[",
      "'",
      '"',
      "\t",
      "#",
    ],
    grows: [
      "[",
      "{a: ",
      "- ",
      "? ",
      "a: ",
      "&a ",
      "*a ",
      "!",
      "'",
      '"',
      "\n",
      " ",
      "---\n",
      "#\n",
      "a\n",
      "- a\n",
      around("a: |\n", "  b\n"),
      around("a: '", "b\n"),
      (size) => Array.from({ length: size / 12 }, (_, i) => `k${i}: ${i}\n`).join(""),
    ],
    inputs: 100,
  }),
  hostileParser({
    name: "yaml pod",
    corpus: [pod?.yaml ?? ""],
    parse: decodePod(openYamlBody),
    write: podJson,
    errors: [DecodeError],
    inputs: 15,
  }),
  hostileParser({
    name: "yaml documents",
    corpus: [`${smallYaml}---\n${smallYaml}`],
    parse: (input) => splitYamlDocuments(input.toString()),
    errors: [DecodeError],
    tokens: ["---\n", "\n---", "...", "\n"],
    grows: ["---\n", "\n", "-", "\n--", "--- \n", "a\n"],
  }),
  hostileParser({
    name: "kubernetes protobuf",
    corpus: [pod?.pb ?? ""],
    parse: decodePod(openProtobufBody),
    write: (value) => encodeProtobuf(value, podSchema),
    errors: [DecodeError],
    inputs: 200,
  }),
  hostileParser({
    name: "protobuf",
    corpus: [sample],
    parse: (input) => Sample.decode(input),
    write: (value) => Sample.encode(value),
    errors: [WireError],
    grows: ["\u003a\u0001a", "\u0040\u0001", "\u000b", "\u0052\u0000", around("\u000b", "\u000b")],
    inputs: 300,
  }),
  hostileParser({
    name: "accept header",
    corpus: [accept, "text/html,application/xhtml+xml;q=0.9", 'a/b;c="d,e\\"";q=1'],
    parse: (input) => {
      const text = input.toString("latin1");
      return [negotiate(text, offer), routerAccepts(text, mediaTypes), wantsPretty(text, text)];
    },
    errors: [],
    tokens: [";q=", ",", ";", "*/*", '"', "=", "as=Table", "q=1e9"],
    grows: [",", ";", "a/b,", "*/*;q=0.5,", "a/b;c=d;", '"', "\\", "=", " ", 'a/b;c="', "/"],
  }),
  hostileParser({
    name: "content type header",
    corpus: ["application/json; charset=utf-8", 'application/apply-patch+yaml;a="b\\"c";d=e'],
    parse: (input) => {
      const text = input.toString("latin1");
      return [bodyMediaType(text, mediaTypes), bodyPatchType(text, patchTypes)];
    },
    errors: [],
    tokens: [";", "=", '"', "\\", " ", "\t"],
    grows: [
      " ",
      ";",
      "a/b",
      around("a/b;c=", "d", "!"),
      around("a/b", " "),
      around("a/b", ";c=d", "("),
      around('a/b;c="', "\\", ""),
      around('a/b;c="', '\\"'),
      around("a/b ", " ; "),
      around("a/b", "; c=d ", "x y"),
    ],
  }),
  hostileParser({
    name: "json patch",
    corpus: [
      '[{"op":"add","path":"/a/1/b","value":{"x":1}},{"op":"move","from":"/c/d","path":"/a/-"},{"op":"test","path":"/c","value":{}}]',
    ],
    parse: (input) =>
      applyJsonPatch(document, decodeJsonPatch(parseRawJson(input), { checked: true }).operations),
    errors: [DecodeError, PatchError],
    tokens: [
      '"copy"',
      '"remove"',
      '"replace"',
      "/a/0",
      "/a/-1",
      "/__proto__/x",
      "~1",
      "~0",
      "~2",
      "/constructor/prototype/x",
    ],
  }),
];
