import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Mounter } from "#/std/mounts/mounter.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import { LoopDevices } from "../pool/loop-devices.ts";
import { openBackends } from "../pool/open-backends.ts";
import { Pool } from "../pool/pool.ts";
import { releaseVolumes, thawVolumes } from "./release-volumes.ts";

const program = fileURLToPath(new URL("./work-on-pool.program.ts", import.meta.url));
const machine = { run: runProgram, mounter: new Mounter() };
/** The number of the step in which the program is killed: of its first round, and of its second one. */
const kills = { image: [2, 3, 5, 8, 12], directory: [2, 4, 8] } as const;

async function workAndKill(root: string, backend: string, steps: number): Promise<void> {
  const child = spawn(process.execPath, [program, root, backend], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  let begun = 0;
  for await (const _step of createInterface(child.stdout)) if (++begun === steps) break;
  const ended = once(child, "exit");
  // With the programs that it has started, as a supervisor does.
  process.kill(-(child.pid ?? 0), "SIGKILL");
  await ended;
}

for (const backend of ["image", "directory"] as const) {
  test(`a killed process leaves nothing that its successor does not remove, with back-end ${backend}`, async () => {
    const root = await mkdtemp(join(tmpdir(), "k8ts-killed-"));
    const target = `${root}-mount`;
    await mkdir(target);
    const open = async () => {
      const backends = await openBackends({ root, ...machine, wanted: backend });
      const settings = { root, clock: systemClock, run: runProgram, backends };
      await thawVolumes(root, machine);
      return await Pool.open({ ...settings, fsTypes: ["ext4"], overcommit: 4 });
    };
    try {
      for (const steps of kills[backend]) {
        await workAndKill(root, backend, steps);
        const pool = await open();
        // The volume stays mounted, and is not frozen.
        await writeFile(join(target, "file"), `${steps}`);
        const names = (await readdir(join(root, "volumes"))).sort();
        assert.deepEqual(
          names,
          pool.volumes.map(({ id }) => id),
          "no folder is unfinished",
        );
        for (const { id } of pool.volumes) if (id !== "kept") await pool.deleteVolume(id);
        for (const { id } of pool.snapshots) await pool.deleteSnapshot(id);
        const devices = await new LoopDevices(runProgram).list();
        const own = devices.filter(({ file }) => file.startsWith(root)).map(({ file }) => file);
        assert.ok(own.length <= 1, `devices are left: ${own.join(", ")}`);
      }
      assert.equal(await readFile(join(target, "file"), "utf8"), `${kills[backend].at(-1)}`);
    } finally {
      await releaseVolumes(root, machine);
      await rm(target, { recursive: true });
      await rm(root, { recursive: true });
    }
    const left = (await new LoopDevices(runProgram).list()).filter(({ file }) =>
      file.startsWith(root),
    );
    assert.deepEqual(left, []);
  });
}
