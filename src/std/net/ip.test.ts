import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Cidr, cidrContains, parseCidr } from "./cidr.ts";
import {
  formatIp,
  type Ip,
  isGlobalUnicast,
  isLinkLocal,
  isLoopback,
  isUnspecified,
  parseIp,
  parseNetIp,
  unmapIp,
} from "./ip.ts";

function canonical(text: string): string | undefined {
  const ip = parseIp(text);
  return ip && formatIp(ip);
}

const good: readonly [string, string][] = [
  ["0.0.0.0", "0.0.0.0"],
  ["10.0.0.255", "10.0.0.255"],
  ["255.255.255.255", "255.255.255.255"],
  ["::", "::"],
  ["::1", "::1"],
  ["1::", "1::"],
  ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
  ["2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"],
  ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
  ["::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"],
  ["64:ff9b::10.0.0.1", "64:ff9b::a00:1"],
  ["::ffff:1.2.3.4", "::ffff:1.2.3.4"],
  ["::ffff:102:304", "::ffff:1.2.3.4"],
  ["1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"],
];

for (const [text, expected] of good) {
  test(`formatIp() writes ${text} as ${expected}`, () => assert.equal(canonical(text), expected));
}

const bad = [
  ...["", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", "+1.2.3.4", "1.2.3."],
  ...[":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::12345"],
  ...[
    "fe80::1%eth0",
    "::1.2.3",
    "1.2.3.4::",
    "1:2:3:4:5:6:7:1.2.3.4",
    ":1::2",
    "::g",
    "::01.2.3.4",
  ],
];

for (const text of bad) {
  test(`parseIp() refuses ${JSON.stringify(text)}`, () => assert.equal(parseIp(text), undefined));
}

test("parseIp() accepts leading zeros only if sloppy, as decimal", () => {
  const ip = parseIp("010.001.2.003", { sloppy: true });
  assert.equal(ip && formatIp(ip), "10.1.2.3");
});

test("parseIp() reads back what formatIp() writes", () => {
  const family6 = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });
  // Many zero groups, as in real addresses.
  const sparse = fc.tuple(family6, family6).map(([a, b]) => a & b & (b >> 16n));
  fc.assert(
    fc.property(fc.oneof(family6, sparse), (value) => {
      const ip = { family: 6, value } as const;
      assert.deepEqual(parseIp(formatIp(ip)), ip);
    }),
    { numRuns: 200 },
  );
});

test("unmapIp() turns a mapped address into IPv4 and leaves others", () => {
  const unmapped = (text: string) => {
    const ip = parseIp(text);
    return ip && formatIp(unmapIp(ip));
  };
  assert.deepEqual(["::ffff:1.2.3.4", "::1.2.3.4", "10.0.0.1"].map(unmapped), [
    "1.2.3.4",
    "::102:304",
    "10.0.0.1",
  ]);
});

test("isLoopback() and the like classify addresses", () => {
  const kinds = { isLoopback, isUnspecified, isLinkLocal, isGlobalUnicast };
  const kindsOf = (text: string) => {
    const ip = parseIp(text);
    return Object.entries(kinds).flatMap(([name, is]) => (ip && is(ip) ? [name] : []));
  };
  const cases: Record<string, string[]> = {
    "127.9.0.1": ["isLoopback"],
    "::1": ["isLoopback"],
    "0.0.0.0": ["isUnspecified"],
    "::": ["isUnspecified"],
    "169.254.1.1": ["isLinkLocal"],
    "fe80::1": ["isLinkLocal"],
    "fec0::1": ["isGlobalUnicast"],
    "224.0.0.1": [],
    "ff02::1": [],
    "10.0.0.1": ["isGlobalUnicast"],
  };
  for (const [text, expected] of Object.entries(cases))
    assert.deepEqual(kindsOf(text), expected, text);
});

test("a mapped address is what it maps to, in every rule", () => {
  const mapped = (text: string): Ip => parseIp(`::ffff:${text}`) as Ip;
  assert.equal(isLoopback(mapped("127.0.0.1")), true);
  assert.equal(isUnspecified(mapped("0.0.0.0")), true);
  assert.equal(isLinkLocal(mapped("169.254.1.1")), true);
  assert.equal(isGlobalUnicast(mapped("224.0.0.1")), false);
  assert.equal(isGlobalUnicast(mapped("255.255.255.255")), false);
  assert.equal(isGlobalUnicast(mapped("10.0.0.1")), true);
  assert.deepEqual(parseNetIp("::ffff:10.0.0.1"), parseIp("10.0.0.1"));
  const network = parseCidr("10.0.0.0/8") as Cidr;
  assert.equal(cidrContains(network, mapped("10.0.0.1")), true);
  assert.equal(cidrContains(parseCidr("::ffff:10.0.0.0/104") as Cidr, mapped("10.0.0.1")), true);
});
