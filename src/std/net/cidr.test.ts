import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addressAt,
  type Cidr,
  cidrContains,
  cidrSize,
  cidrsOverlap,
  formatCidr,
  isCanonical,
  network,
  parseCidr,
  subnetAt,
} from "./cidr.ts";
import { formatIp, parseIp } from "./ip.ts";

function cidr(text: string): Cidr {
  const parsed = parseCidr(text);
  assert.ok(parsed, text);
  return parsed;
}

const good: readonly { text: string; network: string; size: bigint }[] = [
  { text: "10.1.2.3/24", network: "10.1.2.0/24", size: 256n },
  { text: "10.1.2.3/32", network: "10.1.2.3/32", size: 1n },
  { text: "0.0.0.0/0", network: "0.0.0.0/0", size: 2n ** 32n },
  { text: "172.16.0.0/12", network: "172.16.0.0/12", size: 2n ** 20n },
  {
    text: "fd00:1::5/108",
    network: "fd00:1::/108",

    size: 2n ** 20n,
  },
  { text: "::/0", network: "::/0", size: 2n ** 128n },
];

for (const { text, network: expected, size } of good) {
  test(`network() of ${text} is ${expected}`, () => {
    const parsed = cidr(text);
    assert.equal(formatCidr(network(parsed)), expected);
    assert.equal(cidrSize(parsed), size);
    assert.equal(isCanonical(parsed), text === expected);
  });
}

const bad = ["", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/08", "10.0.0/8"];
for (const text of [...bad, "/8", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "fe80::1%a/64"]) {
  test(`parseCidr() refuses ${JSON.stringify(text)}`, () => {
    assert.equal(parseCidr(text), undefined);
  });
}

test("parseCidr() accepts leading zeros only if sloppy", () => {
  const parsed = parseCidr("010.0.0.0/08", { sloppy: true });
  assert.equal(parsed && formatCidr(parsed), "10.0.0.0/8");
});

const contains: readonly [string, string, boolean][] = [
  ["10.0.0.0/8", "10.255.255.255", true],
  ["10.0.0.0/8", "11.0.0.0", false],
  ["10.9.9.9/8", "10.0.0.0", true],
  ["0.0.0.0/0", "1.2.3.4", true],
  ["::/0", "1.2.3.4", false],
  ["fd00::/64", "fd00::ffff:ffff:ffff:ffff", true],
  ["fd00::/64", "fd00:0:0:1::", false],
];

for (const [text, address, expected] of contains) {
  test(`cidrContains(${text}, ${address}) is ${expected}`, () => {
    const ip = parseIp(address);
    assert.equal(ip && cidrContains(cidr(text), ip), expected);
  });
}

const overlaps: readonly [string, string, boolean][] = [
  ["10.0.0.0/8", "10.1.0.0/16", true],
  ["10.0.0.0/16", "10.1.0.0/16", false],
  ["10.0.0.0/8", "::/0", false],
  ["::/0", "fd00::/8", true],
];

for (const [a, b, expected] of overlaps) {
  test(`cidrsOverlap(${a}, ${b}) is ${expected}`, () => {
    assert.equal(cidrsOverlap(cidr(a), cidr(b)), expected);
    assert.equal(cidrsOverlap(cidr(b), cidr(a)), expected);
  });
}

test("addressAt() counts from either end", () => {
  const range = cidr("10.96.0.0/12");
  assert.equal(formatIp(addressAt(range, 10)), "10.96.0.10");
  assert.equal(formatIp(addressAt(range, -1)), "10.111.255.255");
  assert.equal(formatIp(addressAt(cidr("fd00::/64"), 2n ** 64n - 1n)), "fd00::ffff:ffff:ffff:ffff");
  assert.throws(() => addressAt(range, 2 ** 20), /10.96.0.0\/12 has no address 1048576/);
});

test("subnetAt() cuts a network into equal parts", () => {
  const pods = cidr("10.244.0.0/16");
  assert.equal(formatCidr(subnetAt(pods, 24, 0)), "10.244.0.0/24");
  assert.equal(formatCidr(subnetAt(pods, 24, 255)), "10.244.255.0/24");
  assert.equal(formatCidr(subnetAt(cidr("fd00::/48"), 64, 3)), "fd00:0:0:3::/64");
  for (const [length, index] of [
    [24, 256],
    [24, -1],
    [8, 0],
    [33, 0],
  ] as const) {
    assert.throws(() => subnetAt(pods, length, index), RangeError);
  }
});
