import type { Finding, SourceFile } from "./source-file.ts";

const banned = new Set([
  "util",
  "utils",
  "helper",
  "helpers",
  "common",
  "misc",
  "manager",
  "impl",
  "types",
]);

/** Files are named in kebab-case, after what they export. */
export function checkFileNames(files: readonly SourceFile[]): Finding[] {
  return files.flatMap(({ path }) => {
    const [folders, file] = [path.split("/").slice(0, -1), path.split("/").at(-1) ?? ""];
    const stem = file.replace(/(\.[a-z0-9-]+)*\.ts$/, "");
    const vague = [...folders, stem].find((name) => banned.has(name));
    if (vague) {
      return [{ path, line: 1, message: `"${vague}" says nothing: name it after what it exports` }];
    }
    if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem)) return [];
    return [{ path, line: 1, message: "file names are kebab-case" }];
  });
}
