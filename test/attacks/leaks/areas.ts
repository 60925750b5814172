import { openApiServer } from "./api-server-area.ts";
import { apiServerCycles } from "./api-server-cycle.ts";
import { openControlPlane } from "./control-plane-area.ts";
import type { Area } from "./heap.ts";
import { openWatches } from "./watches-area.ts";

/** Something that is repeated for a week. */
interface AreaEntry {
  readonly name: string;
  readonly open: () => Promise<Area>;
  /** Cycles of a series. */
  readonly count: number;
  /** Limit of the memory that stays of a cycle (KiB): caches with limits that the cycles do not reach. */
  readonly maxKeptKiB: number;
}

/** Verified tokens (up to 10,000) and field sets (up to 8,192) are cached; a leak of an object is larger. */
const apiServerLimits: Readonly<Record<string, number>> = {
  "objects and watches": 1.5,
  roles: 0.8,
  "service accounts and tokens": 1.5,
  "custom resources": 5,
  "admission webhooks": 1,
};

export const areas: readonly AreaEntry[] = [
  ...Object.keys(apiServerCycles).map((part) => ({
    name: `API server: ${part}`,
    open: () => openApiServer(part),
    count: 50,
    maxKeptKiB: apiServerLimits[part] ?? 0,
  })),
  // Field sets by the uid of owners (up to 8,192) and explanations of the scheduler (up to 2,000) are cached.
  { name: "controllers and scheduler", open: openControlPlane, count: 4, maxKeptKiB: 120 },
  { name: "watches over HTTPS", open: openWatches, count: 6, maxKeptKiB: 30 },
];
