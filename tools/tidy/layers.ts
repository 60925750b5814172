import {
  type Finding,
  importsOf,
  isTest,
  resolveSpecifier,
  type SourceFile,
} from "./source-file.ts";

const components = ["scheduler", "kubelet", "proxy", "dns", "network", "kubectl"];
const machinery = ["std", "api", "machinery"];

/** What each folder of src may import, besides itself: the layer table of STYLE.md. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  std: [],
  api: [],
  machinery: ["std", "api"],
  storage: ["std"],
  client: machinery,
  controller: [...machinery, "client"],
  apiserver: [...machinery, "storage", "client"],
  controllers: [...machinery, "client", "controller"],
  cloud: [...machinery, "client", "controller"],
  ...Object.fromEntries(components.map((name) => [name, [...machinery, "client"]])),
  cluster: ["std"],
};

/** Folders that have a run.ts, which `cluster` and `bin` may import. */
const runnable = ["apiserver", "controllers", "cloud", ...components, "storage"];

/** Node's modules that do no I/O and tell no time, which machinery may import. */
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

/** Imports go down only, and machinery does no I/O. */
export function checkLayers(files: readonly SourceFile[]): Finding[] {
  return files.flatMap((file) => [...fileFindings(file), ...runFindings(file)]);
}

function fileFindings(file: SourceFile): Finding[] {
  return importsOf(file).flatMap(({ specifier, line }) => {
    const target = resolveSpecifier(file.path, specifier);
    const message = target ? forbidden(file.path, target) : forbiddenBuiltin(file.path, specifier);
    return message ? [{ path: file.path, line, message }] : [];
  });
}

/** Why one file may not import another, if so. */
function forbidden(from: string, target: string): string | undefined {
  const [top, folder = ""] = from.split("/");
  const [targetTop, targetFolder = ""] = target.split("/");
  const testing = target.startsWith("src/testing/");
  if (testing && !isTest(from) && !from.startsWith("bench/"))
    return "src/testing is for tests: move what is needed out of it";
  if (isTest(from) && (testing || !from.startsWith("src/") || from.startsWith("src/testing/"))) {
    return undefined;
  }
  if (top === "bin") return forbiddenInBin(target);
  if (top !== "src") return undefined;
  if (targetTop === "tools" && (folder === "cluster" || isRootTest(from))) return undefined;
  if (targetTop !== "src") return `src may not import ${targetTop}: move what is needed into src`;
  if (folder === targetFolder || isRootTest(from)) return undefined;
  if (folder === "cluster" && isRun(target)) return undefined;
  const allowed = mayImport[folder];
  if (!allowed) return `src/${folder} is not in the layer table of tools/tidy/layers.ts: add it`;
  if (allowed.includes(targetFolder)) return undefined;
  const others = folder === "cluster" ? [...allowed, "each component's run.ts"] : allowed;
  const may = `${folder} may import ${others.join(", ") || "nothing"}`;
  return `${may}, not ${targetFolder}: move what both need down`;
}

function forbiddenInBin(target: string): string | undefined {
  const allowed =
    /^(src\/std\/|src\/cluster\/main\.ts$|tools\/|bin\/)/.test(target) || isRun(target);
  return allowed ? undefined : `bin may import std, cluster/main.ts and one run.ts, not ${target}`;
}

function forbiddenBuiltin(from: string, specifier: string): string | undefined {
  if (!from.startsWith("src/machinery/") || isTest(from)) return undefined;
  const name = specifier.replace(/^node:/, "");
  if (!specifier.startsWith("node:") || pureBuiltins.includes(name)) return undefined;
  return `machinery does no I/O: take the value as an argument instead of importing ${specifier}`;
}

/** One executable, one component. */
function runFindings(file: SourceFile): Finding[] {
  if (!file.path.startsWith("bin/")) return [];
  const runs = importsOf(file).filter(({ specifier }) => {
    const target = resolveSpecifier(file.path, specifier);
    return target !== undefined && isRun(target);
  });
  return runs.slice(1).map(({ line }) => {
    return { path: file.path, line, message: "bin may import one run.ts: make another executable" };
  });
}

function isRun(path: string): boolean {
  const match = /^src\/([^/]+)\/run\.ts$/.exec(path);
  return match !== null && runnable.includes(match[1] ?? "");
}

/** Tests at the top of src are about the whole repository. */
function isRootTest(path: string): boolean {
  return /^src\/[^/]+\.test\.ts$/.test(path);
}
