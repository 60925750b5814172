import { packageIn, parseLockFile } from "../lock/lock-file.ts";
import { isNeeded } from "../lock/prune-lock.ts";
import { type Finding, lineAt } from "./source-file.ts";

const path = "package-lock.json";

/** Every package that npm may install is pinned by its checksum, needed by k8ts, and names no registry. */
export function checkLockEntries(text: string): Finding[] {
  return Object.entries(parseLockFile(text).packages).flatMap(([folder, entry]) => {
    if (folder === "") return [];
    const line = lineAt(text, text.indexOf(`"${folder}"`));
    const at = (message: string): Finding => ({ path, line, message: `${folder} ${message}` });
    if (!isNeeded(packageIn(folder), entry))
      return [at("is not needed by k8ts: run node tools/prune-lock.ts")];
    const isPinned = /^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? "");
    return [
      ...(isPinned ? [] : [at("has no sha512 as integrity: run npm view NAME@VERSION dist")]),
      ...(entry.resolved === undefined ? [] : [at("names a registry: remove resolved")]),
    ];
  });
}

/** Versions of package.json are exact: an update is a change of that file. */
export function checkExactVersions(text: string): Finding[] {
  const manifest = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const kinds = ["dependencies", "devDependencies", "optionalDependencies"];
  return kinds.flatMap((kind) =>
    Object.entries((manifest[kind] ?? {}) as Readonly<Record<string, string>>)
      .filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))
      .map(([name]) => {
        const line = lineAt(text, text.indexOf(`"${name}"`));
        return { path: "package.json", line, message: `${name} needs one exact version` };
      }),
  );
}
