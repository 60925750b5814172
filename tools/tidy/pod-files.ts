import { type Finding, lineAt, type SourceFile } from "./source-file.ts";

/** Calls of node:fs that follow links, wait for pipes or hang with a mount; a Pod may cause each of these. */
const unsafe = new Set(
  ["chmod", "chown", "lchown", "open", "opendir", "realpath", "statfs", "truncate"]
    .flatMap((name) => [name, `${name}Sync`])
    .concat("createReadStream", "createWriteStream"),
);
const fileImport = /import \{([^}]*)\} from "node:fs(?:\/promises)?"/g;
const instead =
  "use src/kubelet/files for files that Pods can change, or that lie on mounts that may hang";

/** Modules whose calls reach the kubelet's own files only. */
const ownFiles: Readonly<Record<string, string>> = {
  "src/kubelet/node/machine-facts.ts": "the file systems of the kubelet and the runtime",
  "src/kubelet/pods/log-rotation.ts": "logs, which the runtime writes",
  "src/kubelet/pods/start-container.ts": "a new file in the kubelet's folder",
  "src/kubelet/server/read-log.ts": "logs, which the runtime writes",
  "src/kubelet/volumes/atomic-writer.ts": "volumes that containers may only read",
  "src/kubelet/volumes/ensure-empty-dir.ts": "the root of a volume, in the kubelet's folder",
  "src/kubelet/volumes/mounter.ts": "the parents of mount points, in the kubelet's folder",
};

/** Raw calls on files in the kubelet. */
export function checkPodFiles(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => /^src\/kubelet\/(?!files\/)/.test(path) && !path.endsWith(".test.ts"))
    .filter(({ path }) => ownFiles[path] === undefined)
    .flatMap(({ path, text }) =>
      [...text.matchAll(fileImport)].flatMap(({ index, 1: list = "" }) =>
        list
          .split(",")
          .map((name) => name.trim())
          .filter((name) => unsafe.has(name))
          .map((name) => {
            return { path, line: lineAt(text, index), message: `${name}() is unsafe: ${instead}` };
          }),
      ),
    );
}
