import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ClusterPaths } from "../base/paths.ts";
import { type Runtime, type RuntimeFile, registriesFolder } from "./runtime.ts";
import { tomlText } from "./toml.ts";

/** The first line of files of mirrors: files of users have none such, and are never removed. */
const mark = "# Written by k8ts up, from --registry-mirror.\n";

/** Where a registry is asked for images before the registry itself. */
export interface Mirror {
  /** `HOST[:PORT]`, as in names of images. */
  readonly registry: string;
  /** `http[s]://HOST[:PORT]`. */
  readonly origin: string;
}

/** Parses REGISTRY=URL; undefined if it is something else. */
export function parseMirror(text: string): Mirror | undefined {
  const [, registry = "", url = ""] = /^([A-Za-z0-9][\w.-]*(?::\d{1,5})?)=(\S+)$/.exec(text) ?? [];
  const parsed = URL.parse(url);
  const isUrl = parsed && /^https?:$/.test(parsed.protocol) && parsed.pathname === "/";
  return isUrl ? { registry, origin: parsed.origin } : undefined;
}

/** The problem of a mirror for a runtime; undefined if there is none. */
export function mirrorProblem(
  text: string,
  { mirrorProblem: problemOf }: Pick<Runtime, "mirrorProblem">,
): string | undefined {
  const mirror = parseMirror(text);
  if (!mirror) {
    return `--registry-mirror=${text} is no mirror such as docker.io=https://mirror.example:5000`;
  }
  const problem = problemOf?.(mirror);
  return problem && `--registry-mirror=${text} ${problem}`;
}

/** The files by which containerd asks mirrors, in their order, before a registry itself. */
export function containerdMirrors(paths: ClusterPaths, mirrors: readonly Mirror[]): RuntimeFile[] {
  return [...Map.groupBy(mirrors, ({ registry }) => registry)].map(([registry, ofRegistry]) => {
    const values = { capabilities: ["pull", "resolve"] };
    const hosts = ofRegistry.map(({ origin }) => [`host."${origin}"`, values] as const);
    const path = join(registriesFolder(paths), registry, "hosts.toml");
    return { path, text: `${mark}${tomlText({}, hosts)}` };
  });
}

/** The file by which CRI-O asks mirrors; one without TLS must be named insecure. */
export function crioMirrors(path: string, mirrors: readonly Mirror[]): RuntimeFile {
  const tables = [...Map.groupBy(mirrors, ({ registry }) => registry)].flatMap(
    ([registry, ofRegistry]) => [
      ["[registry]", { prefix: registry, location: registry }] as const,
      ...ofRegistry.map(({ origin }) => {
        const { host, protocol } = new URL(origin);
        return ["[registry.mirror]", { location: host, insecure: protocol === "http:" }] as const;
      }),
    ],
  );
  return { path, text: `${mark}${tomlText({}, tables)}` };
}

/** Removes files of containerd's mirrors that are not among the files that were written. */
export async function removeOldMirrors(
  paths: ClusterPaths,
  kept: readonly RuntimeFile[],
): Promise<void> {
  const folder = registriesFolder(paths);
  for (const registry of await readdir(folder).catch(() => [])) {
    const path = join(folder, registry, "hosts.toml");
    if (kept.some((file) => file.path === path)) continue;
    const text = await readFile(path, "utf8").catch(() => "");
    if (text.startsWith(mark)) await rm(path, { force: true });
  }
}
