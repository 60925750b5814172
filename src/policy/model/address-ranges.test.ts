import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cidr, parseCidr } from "#/std/net/cidr.ts";
import { formatRange, isWholeFamily, rangesOf } from "./address-ranges.ts";

const cidr = (text: string): Cidr => {
  const parsed = parseCidr(text);
  assert.ok(parsed, text);
  return parsed;
};

for (const { blocks, ranges } of [
  { blocks: [], ranges: [] },
  { blocks: [["10.0.0.0/8"]], ranges: ["10.0.0.0-10.255.255.255"] },
  { blocks: [["10.0.0.7/32"]], ranges: ["10.0.0.7"] },
  {
    blocks: [["10.0.0.0/8", "10.1.0.0/16"]],
    ranges: ["10.0.0.0-10.0.255.255", "10.2.0.0-10.255.255.255"],
  },
  { blocks: [["10.0.0.0/24", "10.0.0.0/25", "10.0.0.64/26"]], ranges: ["10.0.0.128-10.0.0.255"] },
  { blocks: [["10.0.0.0/24", "10.0.0.0/24"]], ranges: [] },
  { blocks: [["10.0.0.0/24", "11.0.0.0/24"]], ranges: ["10.0.0.0-10.0.0.255"] },
  // Another block may contain what this one excludes.
  {
    blocks: [["10.0.0.0/8", "10.1.0.0/16"], ["10.1.2.0/24"]],
    ranges: ["10.0.0.0-10.0.255.255", "10.1.2.0-10.1.2.255", "10.2.0.0-10.255.255.255"],
  },
  { blocks: [["10.0.1.0/24"], ["10.0.0.0/24"]], ranges: ["10.0.0.0-10.0.1.255"] },
  { blocks: [["fd00::/64", "::/0"], ["1.2.3.4/32"]], ranges: ["1.2.3.4"] },
  { blocks: [["fd00::/126"], ["0.0.0.0/32"]], ranges: ["0.0.0.0", "fd00::-fd00::3"] },
]) {
  test(`rangesOf(${JSON.stringify(blocks)})`, () => {
    const given = blocks.map(([whole = "", ...except]) => ({
      cidr: cidr(whole),
      except: except.map(cidr),
    }));
    assert.deepEqual(rangesOf(given).map(formatRange), ranges);
  });
}

for (const { text, whole } of [
  { text: "0.0.0.0/0", whole: true },
  { text: "::/0", whole: true },
  { text: "0.0.0.0/1", whole: false },
  { text: "128.0.0.0/1", whole: false },
]) {
  test(`isWholeFamily(${text})`, () => {
    assert.equal(isWholeFamily(rangesOf([{ cidr: cidr(text), except: [] }])), whole);
  });
}
