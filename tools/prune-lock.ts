import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseLockFile } from "./lock/lock-file.ts";
import { pruneLock } from "./lock/prune-lock.ts";

/** `node tools/prune-lock.ts`, after npm has changed package-lock.json: removes packages of platforms that k8ts does not run on. */
const file = join(import.meta.dirname, "../package-lock.json");
const lock = pruneLock(parseLockFile(readFileSync(file, "utf8")));
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
