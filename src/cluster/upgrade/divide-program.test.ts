import assert from "node:assert/strict";
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { clusterPaths } from "../base/paths.ts";
import { fetchProgram } from "../node-upgrade/fetch-program.ts";
import { installProgram, readDigest } from "../release/install-program.ts";
import { ownRoot } from "../release/versions.ts";
import { divideProgram } from "./divide-program.ts";

const packageOfNode = `node_modules/node-linux-${process.arch}`;

/** A small program with this machine's Node.js. */
function makeProgram(folder: string): void {
  const lock = { packages: { "": {}, [packageOfNode]: {}, "node_modules/a": {} } };
  const files = {
    k8ts: "#!/bin/sh\n",
    "package.json": '{"version": "1.2.3"}',
    "package-lock.json": JSON.stringify(lock),
    "src/api/base/kubernetes-version.ts": 'export const kubernetesVersion = "v1.37.1";',
    [`${packageOfNode}/LICENSE`]: "free",
    "node_modules/a/index.js": "a".repeat(2_000_000),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: path === "k8ts" ? 0o755 : 0o644 });
  }
  mkdirSync(join(folder, "bin"));
  copyFileSync(join(ownRoot, "bin/node.sha256"), join(folder, "bin/node.sha256"));
  const node = join(folder, packageOfNode, "bin/node");
  mkdirSync(dirname(node));
  const own = join(ownRoot, packageOfNode, "bin/node");
  try {
    linkSync(own, node);
  } catch {
    copyFileSync(own, node);
  }
}

test("fetchProgram() makes the same program of the pieces of divideProgram()", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pieces-"));
  try {
    makeProgram(join(folder, "program"));
    const [here, there] = ["here", "there"].map((name) => clusterPaths(join(folder, name)));
    assert.ok(here && there);
    const installed = await installProgram(here, join(folder, "program"));
    const digest = readDigest(installed.folder) ?? "";
    const { names, pieces } = await divideProgram(installed.folder, false);
    assert.deepEqual(names.runtimes, {});
    const read = async (name: string) => {
      const piece = pieces.get(name)?.toString("base64") ?? "";
      return { binaryData: { piece } };
    };
    const about = { id: "a", node: "n", signedMs: 0, version: "1.2.3", folder: "1.2.3" };
    const request = { ...names, ...about, digest };
    const fetched = await fetchProgram(there, request, read);
    assert.equal(readDigest(fetched.folder), digest);
    assert.deepEqual(await fetchProgram(there, request, async () => assert.fail("read")), fetched);
    rmSync(fetched.folder, { recursive: true });
    const cut = async () => ({ binaryData: { piece: "AAAA" } });
    await assert.rejects(fetchProgram(there, request, cut), /is damaged: its checksum is wrong/);
    await assert.rejects(
      fetchProgram(there, { ...request, digest: "other" }, read),
      /the program that was fetched is not 1\.2\.3/,
    );
    const left = readdirSync(join(there.folder, "versions"));
    assert.deepEqual(
      left.filter((name) => name.startsWith(".")),
      [],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
