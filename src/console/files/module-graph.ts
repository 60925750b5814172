import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { nextTurn } from "#/std/time/clock.ts";
import { importsOf } from "./module-imports.ts";

/** A module that is served. */
interface ServedModule {
  /** As it is in the file: types are removed when a browser requests it. */
  readonly source: string;
  /** Paths of the modules that it needs before it runs. */
  readonly first: readonly string[];
  /** Paths of those that it loads later. */
  readonly later: readonly string[];
}

interface GraphOptions {
  /** The folder of the checkout. */
  readonly root: string;
  /** Paths of the modules to begin with. */
  readonly entries: readonly string[];
  /** Modules of packages by specifier, below node_modules. */
  readonly packages: Readonly<Record<string, string>>;
  /** Modules in place of others, by specifier, below the root. */
  readonly replaced: Readonly<Record<string, string>>;
}

/** Modules that are read at once, and between two turns of the event loop. */
const modulesPerTurn = 16;

/**
 * Reads every module that the entries need, by its path below the root: the only ones that are served. Paths of packages
 * begin with "npm/".
 */
export async function readModuleGraph(options: GraphOptions): Promise<Map<string, ServedModule>> {
  const graph = new Map<string, ServedModule>();
  let waiting = [...options.entries];
  while (waiting.length > 0) {
    const paths = [...new Set(waiting.splice(0, modulesPerTurn))].filter(
      (path) => !graph.has(path),
    );
    const modules = await Promise.all(paths.map((path) => readModule(path, options)));
    for (const [index, module] of modules.entries()) graph.set(paths[index] ?? "", module);
    const found = modules.flatMap(({ first, later }) => [...first, ...later]);
    waiting = [...new Set([...waiting, ...found])].filter((path) => !graph.has(path));
    await nextTurn();
  }
  return graph;
}

async function readModule(path: string, options: GraphOptions): Promise<ServedModule> {
  const file = path.startsWith("npm/") ? `node_modules/${path.slice("npm/".length)}` : path;
  const text = await readFile(join(options.root, file), "utf8");
  const source = path.endsWith(".ts") ? text : withoutSourceMap(text);
  const { first, later } = importsOf(source);
  const resolved = (specifiers: readonly string[]) =>
    specifiers.map((specifier) => resolveModule(path, specifier, options));
  return { source, first: resolved(first), later: resolved(later) };
}

/** The path of a module that another one imports. */
function resolveModule(
  from: string,
  specifier: string,
  { packages, replaced }: GraphOptions,
): string {
  const instead = replaced[specifier];
  if (instead !== undefined) return instead;
  if (specifier.startsWith("#/")) return `src/${specifier.slice(2)}`;
  if (specifier.startsWith(".")) return new URL(specifier, `file:///${from}`).pathname.slice(1);
  const target = packages[specifier];
  if (target === undefined) {
    throw new Error(
      `${from} imports ${specifier}, which no browser has: add it to vendor-modules.ts`,
    );
  }
  return `npm/${target}`;
}

/** Source maps are not served. */
const withoutSourceMap = (source: string): string =>
  source.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");

/** The paths of a module and of all those that it needs before it runs. */
export function neededFirst(graph: ReadonlyMap<string, ServedModule>, entry: string): string[] {
  const found = new Set<string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    waiting.push(...(graph.get(path)?.first ?? []));
  }
  return [...found];
}
