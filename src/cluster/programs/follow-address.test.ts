import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { followAddress } from "./follow-address.ts";

const settings = { nodeIp: "10.0.0.2", isNodeIpFixed: false, podCidr: "10.244.0.0/16" };

const cases: readonly {
  name: string;
  isNodeIpFixed?: boolean;
  /** The machine's address at each check. */
  looks: readonly (string | undefined)[];
  /** Number of checks after which the program restarts. */
  restartsAfter: number | undefined;
}[] = [
  { name: "stays as it is", looks: ["10.0.0.2", "10.0.0.2"], restartsAfter: undefined },
  { name: "is replaced by another", looks: ["10.0.0.2", "10.0.0.3", "10.0.0.3"], restartsAfter: 3 },
  {
    name: "is lost, and returns",
    looks: [undefined, undefined, "10.0.0.2"],
    restartsAfter: undefined,
  },
  {
    name: "is lost until there is another",
    looks: [undefined, undefined, "10.0.0.3", "10.0.0.3"],
    restartsAfter: 4,
  },
  {
    name: "differs at each check",
    looks: ["10.0.0.3", "10.0.0.4", "10.0.0.2"],
    restartsAfter: undefined,
  },
  {
    name: "was given, and is lost",
    isNodeIpFixed: true,
    looks: ["10.0.0.3", "10.0.0.3", "10.0.0.3"],
    restartsAfter: undefined,
  },
];

for (const { name, isNodeIpFixed = false, looks, restartsAfter } of cases) {
  test(`followAddress() when the address ${name}`, async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    let look = 0;
    let restarted: number | undefined;
    const following = followAddress(
      { ...settings, isNodeIpFixed } as ClusterSettings,
      stop.signal,
      {
        clock,
        has: (address) => looks[look] === address,
        find: async () => {
          const address = looks[look];
          return address === undefined ? undefined : { address, isGuess: false };
        },
        restart: () => {
          restarted = look + 1;
        },
      },
    ).catch((error: unknown) => assert.equal(error, stop.signal.reason));
    for (; look < looks.length && restarted === undefined; look++) await clock.advance(2000);
    assert.equal(restarted, restartsAfter);
    stop.abort();
    await following;
  });
}
