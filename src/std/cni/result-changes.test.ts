import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "#/testing/until.ts";
import { resultChangesOf } from "./result-changes.ts";

test("resultChangesOf() reports files, also in a folder that was removed and made again", async () => {
  const root = mkdtempSync(join(tmpdir(), "result-changes-"));
  const folder = join(root, "cni", "results");
  let changes = 0;
  {
    using _watch = resultChangesOf([folder])(() => changes++);
    for (let round = 0; round < 3; round++) {
      const before = changes;
      writeFileSync(join(folder, `result-${round}`), "{}");
      await until("the file is reported", () => changes > before);
      const written = changes;
      rmSync(join(root, "cni"), { recursive: true });
      // Each removal is an event; the last one finds the folder made again.
      await until("the folder is there again", () => changes > written && isThere(folder));
    }
  }
  rmSync(root, { recursive: true });
});

const isThere = (folder: string): boolean => {
  try {
    writeFileSync(join(folder, "probe"), "");
    return true;
  } catch {
    return false;
  }
};
