import assert from "node:assert/strict";
import { test } from "node:test";
import { installAdvice } from "./other-distributions.ts";

const packages = ["containernetworking-plugins", "nftables", "conntrack", "iproute2"];
for (const [program, expected] of [
  ["dnf", "dnf install containernetworking-plugins nftables conntrack-tools iproute"],
  ["zypper", "zypper install cni-plugins nftables conntrack-tools iproute2"],
  ["pacman", "pacman -S cni-plugins nftables conntrack-tools iproute2"],
  ["apk", "apk add cni-plugins nftables conntrack-tools iproute2"],
  ["none", `install what Debian has in these packages: ${packages.join(" ")}`],
] as const) {
  test(`installAdvice() names the packages of a distribution with ${program}`, () => {
    assert.equal(
      installAdvice(packages, (name) => name === program),
      expected,
    );
  });
}
