import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path/posix";
import { ociArchive } from "#/std/archive/oci-image.ts";

/**
 * `node write-image.ts NAME FILE PROGRAM[:PATH] [ARGUMENT...]` writes an image with one static program, at that path or at
 * /program, that it runs.
 */
const [name = "", file = "", program = "", ...args] = process.argv.slice(2);
const [source = "", path = "/program"] = program.split(":");
const image = ociArchive({
  name,
  architecture: process.arch,
  files: [
    ...foldersAbove(path.slice(1)).map((folder) => ({ name: folder })),
    { name: path.slice(1), content: readFileSync(source), mode: 0o755 },
    // Programs that keep certificates or logs in files need a folder for them.
    { name: "tmp", mode: 0o1777 },
  ],
  entrypoint: [path, ...args],
  user: "65534:65534",
});
writeFileSync(file, image);

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [...foldersAbove(folder), folder];
}
