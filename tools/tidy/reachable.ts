import { isProduction } from "./import-graph.ts";
import { type Finding, resolveSpecifier, type SourceFile } from "./source-file.ts";

/** What people start; the test runner is a command of k8ts. */
const entryPoint = /^(bin\/[^/]+\.ts|tools\/test\.ts)$/;

/** The generated API is complete by intention. */
const complete = /^src\/api\//;

/** A path in quotes: an import, or the file of a worker thread. */
const reference = /["'`]((?:#|\.{1,2})\/[^"'`\n]+\.ts)["'`]/g;

/** Every module of src is reached from a program. A test is no reason to keep one. */
export function checkReachable(files: readonly SourceFile[]): Finding[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const reached = new Set<string>();
  const waiting = [...texts.keys()].filter((path) => entryPoint.test(path));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    for (const [, specifier = ""] of (texts.get(path) ?? "").matchAll(reference)) {
      const target = resolveSpecifier(path, specifier);
      if (target !== undefined && texts.has(target)) waiting.push(target);
    }
  }
  return files
    .filter((file) => isProduction(file) && !complete.test(file.path) && !reached.has(file.path))
    .map(({ path }) => {
      return { path, line: 1, message: "no program reaches this module: wire it or delete it" };
    });
}
