import { readFileSync } from "node:fs";
import { computeMapSize } from "./compute-map-size.ts";

/**
 * The size that LMDB may map (bytes): it ends the process if the machine has less address space.
 */
export function mapSize(): number {
  return computeMapSize(
    readFileSync("/proc/self/limits", "utf8"),
    readFileSync("/proc/self/maps", "utf8"),
  );
}
