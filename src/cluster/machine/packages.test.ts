import assert from "node:assert/strict";
import { test } from "node:test";
import { installPackages } from "./packages.ts";

/** A machine that records what is done to it. */
function machine({ hasSystemd = true, hasService = false, aptFails = false } = {}) {
  const done: string[] = [];
  return {
    done,
    hasSystemd,
    async install(packages: readonly string[]) {
      done.push(`install ${packages.join(" ")}`);
      if (aptFails) throw new Error("no network");
    },
    async systemctl(verb: string, ...args: string[]) {
      if (verb === "cat" && !hasService) throw new Error("no such unit");
      if (verb !== "cat") done.push(`${verb} ${args.at(-1)}`);
    },
  };
}

const guarded = (install: string): string[] => [
  "mask containerd.service",
  install,
  "unmask containerd.service",
  "disable containerd.service",
];
const cases = [
  {
    name: "a new containerd",
    packages: ["containerd", "runc"],
    expected: guarded("install containerd runc"),
  },
  { name: "other packages", packages: ["nftables"], expected: ["install nftables"] },
  {
    name: "a containerd that was there",
    packages: ["containerd"],
    of: { hasService: true },
    expected: ["install containerd"],
  },
  {
    name: "a machine without systemd",
    packages: ["containerd"],
    of: { hasSystemd: false },
    expected: ["install containerd"],
  },
];
for (const { name, packages, of, expected } of cases) {
  test(`installPackages() of ${name} starts no service that was not there`, async () => {
    const target = machine(of);
    await installPackages(packages, target);
    assert.deepEqual(target.done, expected);
  });
}

test("installPackages() leaves no service masked when apt fails", async () => {
  const target = machine({ aptFails: true });
  await assert.rejects(installPackages(["containerd"], target), { message: "no network" });
  assert.deepEqual(target.done, guarded("install containerd"));
});
