import { everyOther, everyRun, type LayerTable, ownFiles } from "./layer-table.ts";
import {
  type Finding,
  importsOf,
  isTest,
  resolveSpecifier,
  type SourceFile,
} from "./source-file.ts";

/** Node's modules without I/O and without a clock, which machinery may import. */
const pureBuiltins = [
  "assert",
  "assert/strict",
  "buffer",
  "crypto",
  "url",
  "util",
  "util/types",
  "zlib",
];

/** Imports go down only, as the tables of ARCHITECTURE.md say, and machinery does no I/O. */
export function checkLayers(files: readonly SourceFile[], table: LayerTable): Finding[] {
  return files.flatMap((file) => [...fileFindings(file, table), ...runFindings(file, table)]);
}

function fileFindings(file: SourceFile, table: LayerTable): Finding[] {
  return importsOf(file).flatMap(({ specifier, line }) => {
    const target = resolveSpecifier(file.path, specifier);
    const message = target
      ? (forbidden(file.path, target, table) ?? outOfOrder(file.path, target, table))
      : forbiddenBuiltin(file.path, specifier);
    return message ? [{ path: file.path, line, message }] : [];
  });
}

/** Why one file may not import another; undefined if it may. */
function forbidden(from: string, target: string, table: LayerTable): string | undefined {
  const [top, folder = ""] = from.split("/");
  const [targetTop, targetFolder = ""] = target.split("/");
  const testing = target.startsWith("src/testing/");
  if (testing && !isTest(from) && !from.startsWith("bench/"))
    return "src/testing is for tests: move what is needed out of it";
  if (isTest(from) && (testing || !from.startsWith("src/") || from.startsWith("src/testing/"))) {
    return undefined;
  }
  if (top === "bin") return forbiddenInBin(target, table);
  if (top !== "src") return undefined;
  if (targetTop === "tools" && (folder === "cluster" || isRootTest(from))) return undefined;
  if (targetTop !== "src") return `src may not import ${targetTop}: move what is needed into src`;
  if (folder === targetFolder || isRootTest(from)) return undefined;
  const allowed = table.mayImport.get(folder);
  if (!allowed) return `src/${folder} is not in the layer table of ARCHITECTURE.md: add it`;
  if (allowed.includes(targetFolder)) return undefined;
  if (allowed.includes(everyRun) && isRun(target, table)) return undefined;
  const may = `${folder} may import ${allowed.join(", ") || "nothing"}`;
  return `${may}, not ${targetFolder}: move what both need down`;
}

function forbiddenInBin(target: string, table: LayerTable): string | undefined {
  const allowed =
    /^(src\/std\/|src\/cluster\/main\.ts$|tools\/|bin\/)/.test(target) || isRun(target, table);
  return allowed ? undefined : `bin may import std, cluster/main.ts and one run.ts, not ${target}`;
}

/** Why a folder may not import another one of the same component; undefined if it may. Tests may. */
function outOfOrder(from: string, target: string, { orders }: LayerTable): string | undefined {
  if (isTest(from) || !from.startsWith("src/") || !target.startsWith("src/")) return undefined;
  for (const [component, order] of orders) {
    const [lower, higher] = [folderIn(component, target), folderIn(component, from)];
    if (lower === undefined || higher === undefined || lower === higher) continue;
    const missing = [lower, higher].find((name) => rank(order, name) < 0);
    if (missing)
      return `${component}/${missing} is not in the order of ${component} in ARCHITECTURE.md: add it`;
    if (rank(order, lower) < rank(order, higher)) continue;
    const name =
      lower === ownFiles ? `the files directly in ${component} are` : `${component}/${lower} is`;
    return `${name} not below ${component}/${higher}: move what both need down`;
  }
  return undefined;
}

/** The folder of a component that a file is in; undefined if it is in another component. */
function folderIn(component: string, path: string): string | undefined {
  const prefix = `src/${component}/`;
  if (!path.startsWith(prefix)) return undefined;
  const rest = path.slice(prefix.length).split("/");
  return rest.length === 1 ? ownFiles : rest[0];
}

/** The level of a folder; -1 if the order does not have it. */
function rank(order: readonly string[], name: string): number {
  if (order.includes(name)) return order.indexOf(name);
  return name === ownFiles ? order.length : order.indexOf(everyOther);
}

function forbiddenBuiltin(from: string, specifier: string): string | undefined {
  if (!from.startsWith("src/machinery/") || isTest(from)) return undefined;
  const name = specifier.replace(/^node:/, "");
  if (!specifier.startsWith("node:") || pureBuiltins.includes(name)) return undefined;
  return `machinery does no I/O: take the value as an argument instead of importing ${specifier}`;
}

/** One executable, one component. */
function runFindings(file: SourceFile, table: LayerTable): Finding[] {
  if (!file.path.startsWith("bin/")) return [];
  const runs = importsOf(file).filter(({ specifier }) => {
    const target = resolveSpecifier(file.path, specifier);
    return target !== undefined && isRun(target, table);
  });
  return runs.slice(1).map(({ line }) => {
    return { path: file.path, line, message: "bin may import one run.ts: make another executable" };
  });
}

function isRun(path: string, { mayImport }: LayerTable): boolean {
  const match = /^src\/([^/]+)\/run\.ts$/.exec(path);
  return match !== null && mayImport.has(match[1] ?? "");
}

/** Tests at the top of src check the whole repository. */
function isRootTest(path: string): boolean {
  return /^src\/[^/]+\.test\.ts$/.test(path);
}
