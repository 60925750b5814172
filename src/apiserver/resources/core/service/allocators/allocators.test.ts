import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { seededRandom } from "#/std/base/random.ts";
import { parseCidr } from "#/std/net/cidr.ts";
import { parseIp } from "#/std/net/ip.ts";
import { systemClock } from "#/std/time/clock.ts";
import { MemoryStorage } from "#/testing/memory-storage/memory-storage.ts";
import { AddressRange } from "./address-range.ts";
import { NodePorts } from "./node-ports.ts";
import { decodePortRecord, encodePortRecord } from "./port-record.ts";
import { DryRunPorts, PortSet } from "./port-set.ts";
import { addressBand, portBand, rangeOffset } from "./range-offset.ts";

const range = { first: 30000, last: 32767 };
const fixed = () => 0;

describe("rangeOffset()", () => {
  const cases = [
    { size: 16, band: portBand, offset: 0 },
    { size: 100, band: portBand, offset: 16 },
    { size: 2768, band: portBand, offset: 86 },
    { size: 65535, band: portBand, offset: 128 },
    { size: 16, band: addressBand, offset: 0 },
    { size: 256, band: addressBand, offset: 16 },
    { size: 65536, band: addressBand, offset: 256 },
  ];
  for (const { size, band, offset } of cases) {
    test(`is ${offset} for ${size}`, () => assert.equal(rangeOffset(size, band), offset));
  }
});

describe("PortSet", () => {
  test("take() allocates each port once, and only inside its range", () => {
    const ports = new PortSet(range, fixed);
    ports.take(30001);
    assert.throws(() => ports.take(30001), { message: "provided port is already allocated" });
    assert.throws(() => ports.take(80), {
      message: "provided port is not in the valid range. The range of valid ports is 30000-32767",
    });
    ports.release(30001);
    ports.take(30001);
  });

  test("takeAny() allocates from the upper part first", () => {
    const small = { first: 1, last: 20 };
    const ports = new PortSet(small, fixed);
    const taken = Array.from({ length: 20 }, () => ports.takeAny());
    assert.deepEqual(taken.slice(0, 4), [17, 18, 19, 20]);
    assert.equal(new Set(taken).size, 20);
    assert.throws(() => ports.takeAny(), { message: "range is full" });
  });

  test("DryRunPorts allocates nothing and returns a placeholder port", () => {
    const dry = new DryRunPorts(new PortSet(range, fixed, [30005]));
    assert.throws(() => dry.take(30005), { message: "provided port is already allocated" });
    assert.deepEqual([dry.takeAny(), dry.takeAny()], [32769, 32770]);
  });
});

describe("encodePortRecord()", () => {
  test("is decoded by decodePortRecord()", () => {
    const taken = [30000, 30009, 31234, 32767];
    assert.deepEqual(decodePortRecord(encodePortRecord(range, taken)).sort(), taken);
    assert.deepEqual(decodePortRecord(encodePortRecord(range, [])), []);
  });

  test("has upstream's format: a big-endian number", () => {
    const record = JSON.parse(Buffer.from(encodePortRecord(range, [30000, 30009])).toString());
    assert.equal(record.kind, "RangeAllocation");
    assert.equal(record.range, "30000-32767");
    assert.deepEqual([...Buffer.from(record.data, "base64")], [0b10, 0b1]);
  });
});

describe("NodePorts", () => {
  test("two servers allocate different ports of one record", async () => {
    await using storage = new MemoryStorage({ clock: systemClock });
    const servers = [new NodePorts(range, seededRandom(1)), new NodePorts(range, seededRandom(1))];
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        servers[index % 2]?.take(storage, (ports) => ports.takeAny()),
      ),
    );
    assert.equal(new Set(taken).size, 20);
    await servers[0]?.release(storage, taken.slice(0, 10) as number[]);
    const left = await servers[1]?.tryTake(storage, (ports) =>
      taken.filter((port) => ports.has(port ?? 0)),
    );
    assert.equal(left?.length, 10);
  });
});

describe("AddressRange", () => {
  const of = (text: string): AddressRange => {
    const cidr = parseCidr(text);
    assert.ok(cidr);
    return new AddressRange(cidr);
  };
  const contains = (cidr: string, text: string): boolean => {
    const ip = parseIp(text);
    assert.ok(ip);
    return of(cidr).contains(ip);
  };

  test("excludes the network and the broadcast address", () => {
    assert.equal(contains("10.0.0.0/24", "10.0.0.0"), false);
    assert.equal(contains("10.0.0.0/24", "10.0.0.1"), true);
    assert.equal(contains("10.0.0.0/24", "10.0.0.255"), false);
    assert.equal(contains("fd00::/120", "fd00::ff"), true);
    assert.equal(contains("10.0.0.0/24", "10.0.1.1"), false);
  });

  test("candidates() yields every address once, the upper part first", () => {
    const all = [...of("10.0.0.0/27").candidates(fixed)];
    assert.equal(all.length, 30);
    assert.equal(new Set(all).size, 30);
    assert.equal(all[0], "10.0.0.17");
    assert.equal(all.at(-1), "10.0.0.16");
  });

  test("candidates() starts without delay in a huge network", () => {
    const first = of("fd00::/64").candidates(seededRandom(7)).next().value;
    assert.match(String(first), /^fd00::/);
  });
});
