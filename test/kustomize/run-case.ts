import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { CommandRun, Outcome } from "../kubectl/play.ts";
import { filesOf, type TreeAnswer, type TreeCase } from "./tree-case.ts";

/** Builds the folder of a case with a kubectl. */
export async function runCase(
  { name, tree, args = ["."] }: TreeCase,
  kubectl: (run: CommandRun) => Promise<Outcome>,
): Promise<TreeAnswer> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "k8ts-kustomize-")));
  try {
    await writeTree(join(folder, "tree"), tree);
    const run = { args: ["kustomize", ...args], stdin: "", env: { HOME: folder } };
    const { code, stdout, stderr } = await kubectl({ ...run, folder: join(folder, "tree") });
    const clean = (text: string): string =>
      text
        .replaceAll(join(folder, "tree"), "$DIR")
        .replaceAll(/[^\s='"<]*\/kustomize-helm-\w+/g, "$TMP")
        .replaceAll(/\b0x[0-9a-f]{8,}/g, "$ADDRESS")
        .replaceAll(/^I\d{4} [\d:.]+ +\d+ (?=log\.go)/gm, "$KLOG ");
    const files = await newFiles(join(folder, "tree"), tree, clean);
    const answer = { name, code, stdout: clean(stdout), stderr: clean(stderr) };
    return Object.keys(files).length === 0 ? answer : { ...answer, files };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The files that were added. */
async function newFiles(
  folder: string,
  tree: string,
  clean: (text: string) => string,
): Promise<Record<string, string>> {
  const old = new Set(filesOf(tree).map(({ path }) => path));
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: Record<string, string> = {};
  for (const entry of found) {
    const path = relative(folder, join(entry.parentPath, entry.name));
    if (entry.isFile() && !old.has(path)) {
      files[path] = clean(await readFile(join(folder, path), "utf8"));
    }
  }
  return files;
}

async function writeTree(folder: string, tree: string): Promise<void> {
  for (const { path, text, link } of filesOf(tree)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    const mode = text.subarray(0, 2).toString() === "#!" ? 0o755 : 0o644;
    if (link === undefined) await writeFile(file, text, { mode });
    else await symlink(link, file);
  }
}
