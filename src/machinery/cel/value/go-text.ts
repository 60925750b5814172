import { formatShortest } from "#/std/go/float.ts";
import { CelType } from "../type/cel-type.ts";
import { CelFault } from "./cel-fault.ts";
import { CelList } from "./cel-list.ts";
import { CelMap } from "./cel-map.ts";
import type { CelResult } from "./cel-value.ts";
import { Optional } from "./optional.ts";
import { Uint } from "./uint.ts";

/** A value as Go's %v prints it in messages. */
export function goText(value: CelResult): string {
  if (value === null) return "0";
  if (typeof value === "number") return formatShortest(value);
  if (typeof value !== "object") return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof CelFault) return value.message;
  if (value instanceof CelType) return value.toString();
  if (value instanceof Uint8Array) return `[${Array.from(value).join(" ")}]`;
  if (value instanceof CelList) return `[${Array.from(value, goText).join(", ")}]`;
  if (value instanceof CelMap) return mapText(value);
  if (value instanceof Optional) {
    return value.value === undefined ? "optional.none()" : `optional(${goText(value.value)})`;
  }
  return String(value);
}

function mapText(map: CelMap): string {
  const entries = Array.from(map.entries(), ([key, value]) => `${goText(key)}: ${goText(value)}`);
  return `{${entries.join(", ")}}`;
}
