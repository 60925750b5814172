import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseLockFile } from "./lock/lock-file.ts";
import { computeSbom } from "./lock/sbom.ts";

/** `node tools/write-sbom.ts`, after a change of a dependency or of Node.js: writes sbom.cdx.json. */
const root = join(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const sbom = computeSbom({
  lock: parseLockFile(read("package-lock.json")),
  nodeSums: read("bin/node.sha256"),
});
writeFileSync(join(root, "sbom.cdx.json"), `${JSON.stringify(sbom, undefined, 2)}\n`);
