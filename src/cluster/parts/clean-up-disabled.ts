import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { logger } from "#/std/log/log.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { writeWhole } from "../base/write-file.ts";
import { disabledParts, dutiesOf, enabledParts } from "./enabled-parts.ts";
import type { PartProgram } from "./part.ts";

const log = logger("cluster");

/** The file that records the parts that a program has run: they are cleaned up when they are disabled. */
const recordFile = (paths: ClusterPaths, program: PartProgram): string =>
  join(paths.run, `${program}.parts`);

/** Cleans up parts that were disabled since the last start; failures are retried at the next start. */
export async function cleanUpDisabled(
  program: PartProgram,
  paths: ClusterPaths,
  settings: ClusterSettings,
  cleanUp: (name: string) => Promise<void>,
): Promise<void> {
  const file = recordFile(paths, program);
  const recorded = (await readFile(file, "utf8").catch(() => "")).split("\n");
  const left = dutiesOf(program, enabledParts(settings)).map(({ name }) => name);
  for (const { name } of dutiesOf(program, disabledParts(settings))) {
    if (!recorded.includes(name)) continue;
    try {
      await cleanUp(name);
      log.info("cleaned up disabled part", { part: name });
    } catch (error) {
      log.error(error, "failed to clean up disabled part", { part: name });
      left.push(name);
    }
  }
  await writeWhole(file, left.join("\n"));
}
