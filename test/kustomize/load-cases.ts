import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { TreeCase } from "./tree-case.ts";

const folder = join(import.meta.dirname, "cases");

export interface CaseFile {
  readonly name: string;
  readonly cases: readonly TreeCase[];
  /** The file with the answers of upstream's kubectl. */
  readonly recorded: string;
}

/** Every file of cases. */
export async function loadCases(): Promise<CaseFile[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".ts")).sort();
  return await Promise.all(
    files.map(async (file) => {
      const name = file.replace(/\.ts$/, "");
      const { cases } = (await import(join(folder, file))) as { cases: readonly TreeCase[] };
      return { name, cases, recorded: join(import.meta.dirname, "recorded", `${name}.json`) };
    }),
  );
}
