import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { collectLogs, removeLogs } from "./log-collection.ts";

test("logs and their links are removed with their containers and pods", async () => {
  const root = await mkdtemp(join(tmpdir(), "k8ts-logs-"));
  try {
    const podLogs = join(root, "pods");
    const links = join(root, "links");
    await mkdir(links);
    for (const pod of ["ns_gone_u1", "ns_here_u2"]) {
      const directory = join(podLogs, pod, "main");
      await mkdir(directory, { recursive: true });
      for (const name of ["0.log", "0.log.20250101-000000.gz", "1.log"]) {
        await writeFile(join(directory, name), "");
      }
      await symlink(join(directory, "1.log"), join(links, `${pod}.log`));
    }
    await symlink("/elsewhere/1.log", join(links, "foreign.log"));
    await writeFile(join(links, "file.log"), "");
    // A log that is being rotated, and a log from before this kubelet.
    await symlink(join(podLogs, "ns_here_u2", "main", "2.log"), join(links, "rotated.log"));
    await symlink(join(podLogs, "ns_old_u3", "main", "0.log"), join(links, "old.log"));
    await removeLogs(join(podLogs, "ns_here_u2", "main", "0.log"));
    await collectLogs({ podLogs, links, mayRemoveContent: (uid) => uid === "u1" });
    assert.deepEqual(await readdir(podLogs), ["ns_here_u2"]);
    assert.deepEqual(await readdir(join(podLogs, "ns_here_u2", "main")), ["1.log"]);
    assert.deepEqual((await readdir(links)).sort(), [
      "file.log",
      "foreign.log",
      "ns_here_u2.log",
      "rotated.log",
    ]);
  } finally {
    await rm(root, { recursive: true });
  }
});
