import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type KernelChange, observeKernelChanges, setKernelFile } from "./kernel-changes.ts";

test("setKernelFile() reports the earlier value before it writes; an equal value is no change", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "kernel-")), "ip_forward");
  writeFileSync(file, "0\n");
  const seen: [KernelChange, string][] = [];
  observeKernelChanges((change) => seen.push([change, readFileSync(file, "utf8")]));
  assert.equal(await setKernelFile(file, "1"), true);
  assert.equal(await setKernelFile(file, "1"), false);
  assert.deepEqual(seen, [[{ file, before: "0", after: "1", network: undefined }, "0\n"]]);
  assert.equal(readFileSync(file, "utf8"), "1");
});
