import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { clusterPaths } from "../base/paths.ts";
import { systemdRelease } from "../machine/systemd.ts";
import { unitFiles } from "./systemd-units.ts";

const version = spawnSync("systemd-analyze", ["--version"], { encoding: "utf8" });
const skip = version.status === 0 ? false : "there is no systemd-analyze";

for (const cluster of ["k8ts", "two-b"]) {
  test(`systemd-analyze finds nothing wrong with the units of ${cluster}`, { skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), "k8ts-units-"));
    try {
      const units = unitFiles({
        paths: clusterPaths(folder),
        cluster,
        launcher: "/bin/true",
        programs: ["server", "containerd", "agent"].map((name) => ({
          name,
          command: ["/bin/true", name, 'a "word" of 100%', "$HOME"],
        })),
        release: systemdRelease(version.stdout),
      });
      for (const { name, text } of units) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      const files = units.map(({ name }) => name).filter((name) => !name.includes("/"));
      const env = { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` };
      const verify = ["verify", "--man=no", ...files];
      const { stderr } = spawnSync("systemd-analyze", verify, {
        cwd: folder,
        env,
        encoding: "utf8",
      });
      // It may report problems of the machine's own units.
      const ours = stderr.split("\n").filter((line) => line.includes(folder));
      assert.deepEqual(ours, []);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
