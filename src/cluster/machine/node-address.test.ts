import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { type AddressSources, type ChosenAddress, chooseAddress } from "./choose-address.ts";
import { waitForAddress } from "./node-address.ts";

const podCidr = "10.244.0.0/16,fd00:244::/56";
const link = (address: string) => ({ address, isBridge: false });
const bridge = (address: string) => ({ address, isBridge: true });

const cases: readonly {
  name: string;
  sources: AddressSources;
  previous?: string;
  expected: ChosenAddress | undefined;
}[] = [
  {
    name: "that of the default route",
    sources: { addresses: [link("192.168.1.2"), link("10.0.0.2")], routeSource: "10.0.0.2" },
    previous: "192.168.1.2",
    expected: { address: "10.0.0.2", isGuess: false },
  },
  {
    name: "the previous one, without a default route",
    sources: { addresses: [link("192.168.1.2"), link("10.0.0.2")], routeSource: undefined },
    previous: "10.0.0.2",
    expected: { address: "10.0.0.2", isGuess: false },
  },
  {
    name: "the first if the previous one is lost",
    sources: { addresses: [link("192.168.1.2")], routeSource: undefined },
    previous: "10.0.0.2",
    expected: { address: "192.168.1.2", isGuess: true },
  },
  {
    name: "never one of the pods' own",
    sources: { addresses: [link("10.244.0.1"), link("10.0.0.2")], routeSource: "10.244.0.1" },
    previous: "10.244.0.1",
    expected: { address: "10.0.0.2", isGuess: true },
  },
  {
    name: "never Docker's, unless the default route leaves there",
    sources: { addresses: [bridge("172.17.0.1")], routeSource: undefined },
    expected: undefined,
  },
  {
    name: "that of a bridge which leads out",
    sources: { addresses: [bridge("192.168.1.2")], routeSource: "192.168.1.2" },
    expected: { address: "192.168.1.2", isGuess: false },
  },
  {
    name: "a link-local one only if there is no other",
    sources: { addresses: [link("169.254.3.4"), link("10.0.0.2")], routeSource: undefined },
    expected: { address: "10.0.0.2", isGuess: true },
  },
  {
    name: "one of IPv6, but not one of the pods' own",
    sources: { addresses: [link("fd00:244::1"), link("fd00:7::2")], routeSource: undefined },
    expected: { address: "fd00:7::2", isGuess: true },
  },
  {
    name: "none on a machine without a network",
    sources: { addresses: [], routeSource: undefined },
    previous: "10.0.0.2",
    expected: undefined,
  },
];

for (const { name, sources, previous, expected } of cases) {
  test(`chooseAddress() is ${name}`, () =>
    assert.deepEqual(chooseAddress(sources, { podCidr, previous }), expected));
}

/** A machine on which each check finds the next of these, then always the last. */
async function waitOn(finds: readonly (ChosenAddress | undefined)[]) {
  const clock = new FakeClock();
  let looks = 0;
  const find = async () => finds[Math.min(looks++, finds.length - 1)];
  const signal = new AbortController().signal;
  const waiting = waitForAddress({ podCidr, family: 4 }, signal, { find, clock });
  let done = false;
  const settled = waiting.then(
    (address) => ({ address }),
    (error: Error) => ({ error: error.message }),
  );
  void settled.then(() => {
    done = true;
  });
  while (!done) await clock.advance(500);
  return { ...(await settled), waitedMs: clock.monotonicMs() };
}

const sure = { address: "10.0.0.2", isGuess: false };
const guess = { address: "192.168.1.2", isGuess: true };

test("waitForAddress() returns a certain address at once", async () => {
  const { waitedMs, ...found } = await waitOn([undefined, guess, sure]);
  assert.deepEqual(found, { address: "10.0.0.2" });
  assert.ok(waitedMs < 5000);
});

test("waitForAddress() returns a guess if there is no default route in time", async () => {
  assert.deepEqual(await waitOn([undefined, guess]).then(({ waitedMs: _, ...rest }) => rest), {
    address: "192.168.1.2",
  });
});

test("waitForAddress() fails on a machine without a network", async () => {
  const { waitedMs, ...found } = await waitOn([undefined]);
  assert.match(
    (found as { error: string }).error,
    /^this machine has no IPv4 address but loopback/,
  );
  assert.ok(waitedMs >= 60_000);
});
