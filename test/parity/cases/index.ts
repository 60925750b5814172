import type { Area } from "../case.ts";
import { applyBuiltin } from "./apply-builtin.ts";
import { applyWidget } from "./apply-widget.ts";
import { jsonPatches } from "./json-patch.ts";
import { mergePatches } from "./merge-patch.ts";
import { quantity } from "./quantity.ts";
import { strategicPatches } from "./strategic.ts";

/** All areas, in the order they are recorded. */
export const areas: readonly Area[] = [
  quantity,
  jsonPatches,
  mergePatches,
  strategicPatches,
  applyWidget,
  applyBuiltin,
];
