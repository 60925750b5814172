import { writeSync } from "node:fs";
import { Mounter } from "#/std/mounts/mounter.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import { openBackends } from "../pool/open-backends.ts";
import { Pool } from "../pool/pool.ts";

/** Makes, copies and removes volumes of a pool until it is killed: `FOLDER BACKEND`. */
const [root = "", wanted = ""] = process.argv.slice(2);
const run = runProgram;
const backends = await openBackends({ root, run, mounter: new Mounter(), wanted });
const clock = systemClock;
const pool = await Pool.open({ root, clock, run, backends, fsTypes: ["ext4"], overcommit: 4 });
const target = `${root}-mount`;
const sizes = { capacityBytes: 16 << 20, isBlock: false, fsType: undefined };
await pool.createVolume({ name: "kept", ...sizes });
/** Says which step begins: the test kills this process then. */
const step = (name: string): void => void writeSync(1, `${name}\n`);

for (let round = 0; ; round++) {
  step("mount");
  await pool.mount("kept", { target, flags: [] });
  step("snapshot");
  await pool.createSnapshot("snapshot", "kept");
  step("restore");
  await pool.createVolume({ name: "restored", ...sizes, source: { snapshot: "snapshot" } });
  step("create");
  await pool.createVolume({ name: "device", ...sizes, isBlock: wanted === "image" });
  step("attach");
  if (wanted === "image") await pool.attach("device");
  step("expand");
  await pool.expand("restored", (16 << 20) + 4096 * round, undefined);
  step("detach");
  await pool.detach("device");
  step("delete");
  await Promise.all(["restored", "device"].map((id) => pool.deleteVolume(id)));
  step("delete snapshot");
  await pool.deleteSnapshot("snapshot");
}
