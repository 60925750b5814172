import { CelList } from "./cel-list.ts";
import { CelMap } from "./cel-map.ts";
import type { CelValue } from "./cel-value.ts";
import { Duration } from "./duration.ts";
import { Timestamp } from "./timestamp.ts";
import { Uint } from "./uint.ts";

/** The name of upstream's type for a value, which some messages contain. */
export function goTypeName(value: CelValue): string {
  switch (typeof value) {
    case "string":
      return "types.String";
    case "bigint":
      return "types.Int";
    case "boolean":
      return "types.Bool";
    case "number":
      return "types.Double";
    default:
  }
  if (value === null) return "types.Null";
  if (value instanceof Uint) return "types.Uint";
  if (value instanceof Uint8Array) return "types.Bytes";
  if (value instanceof Timestamp) return "types.Timestamp";
  if (value instanceof Duration) return "types.Duration";
  if (value instanceof CelList) return "*types.baseList";
  return value instanceof CelMap ? "*types.baseMap" : "*types.Optional";
}
