import assert from "node:assert/strict";
import { test } from "node:test";
import { pruneLock } from "../lock/prune-lock.ts";
import { checkExactVersions, checkLockEntries } from "./lock-entries.ts";

const integrity = `sha512-${"A".repeat(86)}==`;

const cases = [
  { name: "a pinned package", entry: { integrity }, problem: undefined },
  {
    name: "a package of a supported platform",
    entry: { integrity, os: ["linux"], cpu: ["arm64"] },
  },
  { name: "os and cpu as texts", entry: { integrity, os: "linux", cpu: "x64" } },
  { name: "no integrity", entry: {}, problem: "has no sha512" },
  { name: "a weak checksum", entry: { integrity: "sha1-AAAA" }, problem: "has no sha512" },
  { name: "a short checksum", entry: { integrity: "sha512-AAAA" }, problem: "has no sha512" },
  { name: "a registry", entry: { integrity, resolved: "a" }, problem: "names a registry" },
  { name: "another system", entry: { integrity, os: ["win32"] }, problem: "is not needed" },
  { name: "another processor", entry: { integrity, cpu: ["s390x"] }, problem: "is not needed" },
  { name: "another C library", entry: { integrity, libc: ["musl"] }, problem: "is not needed" },
];

for (const { name, entry, problem } of cases) {
  test(`checkLockEntries(): ${name}`, () => {
    const text = JSON.stringify({ packages: { "": {}, "node_modules/a": entry } });
    const found = checkLockEntries(text).map(({ message }) => message);
    if (problem === undefined) assert.deepEqual(found, []);
    else assert.match(found.join("\n"), new RegExp(`^node_modules/a ${problem}`));
  });
}

test("pruneLock() removes packages of other platforms, and their names", () => {
  const packages = {
    "": { dependencies: { store: "1.0.0" } },
    "node_modules/store": {
      version: "1.0.0",
      optionalDependencies: { "@store/linux": "1.0.0", "@store/mac": "1.0.0" },
      license: "MIT",
    },
    "node_modules/@store/linux": { os: ["linux"] },
    "node_modules/@store/mac": { os: ["darwin"] },
    "node_modules/store/node_modules/msgpackr-extract": {},
    "node_modules/other": { optionalDependencies: { "msgpackr-extract": "3.0.0" } },
  };
  assert.deepEqual(pruneLock({ packages }), {
    packages: {
      "": { dependencies: { store: "1.0.0" } },
      "node_modules/store": {
        version: "1.0.0",
        optionalDependencies: { "@store/linux": "1.0.0" },
        license: "MIT",
      },
      "node_modules/@store/linux": { os: ["linux"] },
      "node_modules/other": {},
    },
  });
});

test("checkExactVersions() refuses ranges and tags", () => {
  const manifest = { dependencies: { a: "1.2.3", b: "^1.2.3" }, devDependencies: { c: "latest" } };
  assert.deepEqual(
    checkExactVersions(JSON.stringify(manifest)).map(({ message }) => message),
    ["b needs one exact version", "c needs one exact version"],
  );
});
