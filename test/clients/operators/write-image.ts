import { readFileSync, writeFileSync } from "node:fs";
import { ociArchive } from "#/std/archive/oci-image.ts";

/** `node write-image.ts NAME FILE PROGRAM [ARGUMENT...]` writes an image with one static program that it runs. */
const [name = "", file = "", program = "", ...args] = process.argv.slice(2);
const image = ociArchive({
  name,
  architecture: process.arch,
  files: [
    { name: "program", content: readFileSync(program), mode: 0o755 },
    // Programs that keep certificates or logs in files need a folder for them.
    { name: "tmp", mode: 0o1777 },
  ],
  entrypoint: ["/program", ...args],
  user: "65534:65534",
});
writeFileSync(file, image);
