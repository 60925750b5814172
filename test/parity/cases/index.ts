import type { Area } from "../case.ts";
import { applyBuiltin } from "./apply-builtin.ts";
import { applyWidget } from "./apply-widget.ts";
import { coreObjects } from "./core-objects.ts";
import { coreServices } from "./core-services.ts";
import { coreStorage } from "./core-storage.ts";
import { jsonPatches } from "./json-patch.ts";
import { mergePatches } from "./merge-patch.ts";
import { networkingArea } from "./networking.ts";
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
  coreServices,
  coreObjects,
  coreStorage,
  networkingArea,
];
