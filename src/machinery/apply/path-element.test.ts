import assert from "node:assert/strict";
import { test } from "node:test";
import {
  keyElement,
  parseElement,
  printElement,
  sortElements,
  valueElement,
} from "./path-element.ts";

test("parseElement() gives the canonical form", () => {
  assert.equal(parseElement("f:a:b"), "f:a:b");
  assert.equal(parseElement('k:{ "b": 1, "a": "x" }'), 'k:{"a":"x","b":1}');
  assert.equal(parseElement('v: "x<y"'), 'v:"x\\u003cy"');
  assert.equal(parseElement("v:1.0"), "v:1");
  assert.equal(parseElement("i:+7"), "i:7");
  assert.equal(parseElement("r:new"), undefined);
});

test("parseElement() refuses what is malformed", () => {
  for (const text of ["", "f", "fa", "k:{", "k:[]", "v:", "i:x", 'v:"a" "b"']) {
    assert.throws(() => parseElement(text), SyntaxError, text);
  }
});

test("printElement() gives the form of messages", () => {
  assert.equal(printElement("f:spec"), ".spec");
  assert.equal(printElement(keyElement(["name", "port"], ['a"b', 80])), '[name="a\\"b",port=80]');
  assert.equal(printElement(valueElement("x")), '[="x"]');
  assert.equal(printElement(valueElement(true)), "[=true]");
  assert.equal(printElement("i:3"), "[3]");
});

test("sortElements() orders by kind, then by content", () => {
  const sorted = [
    "f:B",
    "f:a",
    "f:b",
    'k:{"name":"a"}',
    'k:{"port":9}',
    'k:{"port":80}',
    'k:{"port":80,"protocol":"TCP"}',
    "v:-1",
    "v:9",
    "v:10",
    'v:"a"',
    "v:false",
    "v:true",
    "i:2",
    "i:10",
  ];
  assert.deepEqual(sortElements(sorted.toReversed()), sorted);
});
