import { CelType } from "../type/cel-type.ts";
import { CelList } from "./cel-list.ts";
import { CelMap } from "./cel-map.ts";
import type { CelValue } from "./cel-value.ts";
import { Duration } from "./duration.ts";
import { Optional } from "./optional.ts";
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
  if (value instanceof CelMap) return "*types.baseMap";
  if (value instanceof CelType) return "*types.Type";
  if (value instanceof Optional) return "*types.Optional";
  const { name } = value.type;
  return goNames.get(name) ?? name;
}

const goNames: ReadonlyMap<string, string> = new Map([
  ["kubernetes.Quantity", "cel.Quantity"],
  ["kubernetes.Semver", "cel.Semver"],
  ["kubernetes.URL", "cel.URL"],
  ["net.CIDR", "cel.CIDR"],
  ["net.IP", "cel.IP"],
]);
