import { isProduction } from "./import-graph.ts";
import { type Finding, referencesOf, type SourceFile } from "./source-file.ts";

/** Programs that users start; the test runner is a command of k8ts. */
const entryPoint = /^(bin\/[^/]+\.ts|tools\/test\.ts)$/;

/** The generated API is complete on purpose. */
const complete = /^src\/api\//;

/** Every module of src is imported, directly or not, by a program. A test is no reason to keep one. */
export function checkReachable(files: readonly SourceFile[]): Finding[] {
  const known = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const waiting = [...known.keys()].filter((path) => entryPoint.test(path));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    const file = known.get(path);
    if (file) waiting.push(...referencesOf(file));
  }
  return files
    .filter((file) => isProduction(file) && !complete.test(file.path) && !reached.has(file.path))
    .map(({ path }) => {
      return { path, line: 1, message: "no program reaches this module: wire it or delete it" };
    });
}
