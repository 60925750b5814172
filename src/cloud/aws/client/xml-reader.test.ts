import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "#/std/base/random.ts";
import { boolean, list, number, readShape, struct, text } from "./shape.ts";
import { XmlReader } from "./xml-reader.ts";

const shape = struct({
  a: text,
  n: number,
  b: boolean,
  items: list(text),
  inner: struct({ x: text }),
});

const read = (source: string) => {
  const reader = new XmlReader(source);
  return reader.readRoot(() => readShape(reader, shape, "item"));
};

const nothing = { a: undefined, n: undefined, b: undefined, items: [], inner: undefined };

const good = [
  { name: "empty root", source: "<r/>", value: {} },
  { name: "declaration and space", source: '<?xml version="1.0"?>\n <r> </r>\n', value: {} },
  { name: "byte order mark", source: "\ufeff<r><a>x</a></r>", value: { a: "x" } },
  { name: "entities", source: "<r><a>&lt;&amp;&#65;&#x1F600;&gt;</a></r>", value: { a: "<&A😀>" } },
  { name: "CDATA", source: "<r><a>x<![CDATA[<&>]]>y</a></r>", value: { a: "x<&>y" } },
  { name: "comments", source: "<!--c--><r><a>x<!-- <a> -->y</a></r><!--d-->", value: { a: "xy" } },
  {
    name: "attributes",
    source: `<r xmlns="u" p:q='v>'><a k = "&lt;">x</a></r>`,
    value: { a: "x" },
  },
  { name: "empty text", source: "<r><a/></r>", value: { a: "" } },
  {
    name: "number and boolean",
    source: "<r><n>-12</n><b>true</b></r>",
    value: { n: -12, b: true },
  },
  {
    name: "list",
    source: "<r><items><item>x</item><item/></items></r>",
    value: { items: ["x", ""] },
  },
  { name: "struct", source: "<r><inner><x>1</x><y/></inner></r>", value: { inner: { x: "1" } } },
  {
    name: "unknown elements",
    source: "<r><u><a>no</a><v/></u><a>yes</a></r>",
    value: { a: "yes" },
  },
  { name: "names of objects", source: "<r><constructor>x</constructor></r>", value: {} },
];

for (const { name, source, value } of good) {
  test(`XmlReader reads ${name}`, () => {
    assert.deepEqual(read(source), { ...nothing, ...value });
  });
}

const bad = [
  "",
  "text",
  "<r>",
  "<r></s>",
  "<r/><r/>",
  "<r/>x",
  "<r",
  "<r a=1/>",
  "<r a='x/>",
  "<r a='<'/>",
  "<r><a>x</r></a>",
  "<r><a><b/></a></r>",
  "<r>&nbsp;</r>",
  "<r>&</r>",
  "<r>&#0;</r>",
  "<r>&#xD800;</r>",
  "<r>&#x110000;</r>",
  "<r a='&x;'/>",
  "<r>\u0001</r>",
  '<!DOCTYPE r [<!ENTITY x "y">]><r>&x;</r>',
  "<r><!ELEMENT a></r>",
  "<r><!-- x</r>",
  "<r><a><![CDATA[x</a></r>",
  "<r></ r>",
  "<r></r/>",
  `${"<a>".repeat(100)}${"</a>".repeat(100)}`,
];

for (const source of bad) {
  test(`XmlReader refuses ${source.slice(0, 40)}`, () => {
    assert.throws(() => read(source), { name: "XmlError" });
  });
}

test("readShape() refuses text that is not a number or boolean", () => {
  for (const source of [
    "<r><n>x</n></r>",
    "<r><n/></r>",
    "<r><n>1e999</n></r>",
    "<r><b>1</b></r>",
  ]) {
    assert.throws(() => read(source), SyntaxError);
  }
});

test("XmlReader ends with a value or an error of its own for any damaged text", () => {
  const random = seededRandom(19);
  const source = good.map((one) => one.source).join("");
  const pieces = ["<", ">", "/", "&", "]]>", "<!--", '"', "<r>", "</r>", ";"];
  for (let round = 0; round < 2_000; round++) {
    const at = Math.floor(random() * source.length);
    const piece = pieces[Math.floor(random() * pieces.length)];
    const start = Math.floor(random() * at);
    const damaged = source.slice(start, at) + piece + source.slice(at + 1);
    try {
      read(damaged);
    } catch (error) {
      assert.match(String(error), /^(XmlError|SyntaxError): /);
    }
  }
});
