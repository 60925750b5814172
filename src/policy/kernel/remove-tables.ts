import { ProgramError, type RunProgram } from "#/std/process/run-program.ts";
import { frameTableName, tableName } from "../plan/names.ts";

/** Removes our tables, if they are there. */
export async function removeTables(run: RunProgram): Promise<void> {
  const tables = await run("nft", ["list", "tables"]).catch((error: unknown) => {
    // Without nft, there are no tables either.
    if (error instanceof ProgramError && error.exitCode === undefined) return "";
    throw error;
  });
  for (const name of [tableName, frameTableName]) {
    if (!tables.split("\n").includes(`table ${name}`)) continue;
    await run("nft", ["delete", "table", ...name.split(" ")]);
  }
}
