import { chmodSync, copyFileSync, linkSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installedMark, packageFiles, programFiles } from "#/cluster/release/program-files.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");

/** Makes a folder with this program as another version, to upgrade to. */
export function makeOtherVersion(folder: string): void {
  const files = [...programFiles(root), ...packageFiles(root, process.arch), installedMark];
  for (const { path, source, isExecutable } of files) {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    if (typeof source !== "string") writeFileSync(place, source);
    else if (path.startsWith("node_modules/")) linkOrCopy(source, place, isExecutable);
    else copy(source, place, isExecutable);
  }
  const file = join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...manifest, version: "9.9.9" }));
}

function copy(source: string, place: string, isExecutable: boolean): void {
  copyFileSync(source, place);
  chmodSync(place, isExecutable ? 0o755 : 0o644);
}

function linkOrCopy(source: string, place: string, isExecutable: boolean): void {
  try {
    linkSync(source, place);
  } catch {
    copy(source, place, isExecutable); // Another file system.
  }
}
