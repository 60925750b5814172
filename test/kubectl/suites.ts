import { readdir } from "node:fs/promises";
import type { Suite } from "./golden-case.ts";

const folder = new URL("cases/", import.meta.url);

/** All suites, by name. */
export async function loadSuites(filter = ""): Promise<Suite[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".ts")).sort();
  const wanted = names.filter((name) => name.includes(filter));
  const modules = await Promise.all(
    wanted.map((name) => import(new URL(name, folder).href) as Promise<{ suite: Suite }>),
  );
  return modules.map(({ suite }) => suite);
}

/** File of the answers of a suite. */
export function recordedFile({ name }: Suite): URL {
  return new URL(`recorded/${name}.json`, import.meta.url);
}
