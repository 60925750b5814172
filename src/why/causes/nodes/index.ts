import type { Cause } from "../../base/cause.ts";
import { nodeCordoned } from "./cordoned.ts";
import { leaseStale } from "./lease-stale.ts";
import { nodeNotReady } from "./not-ready.ts";
import { nodePressure } from "./pressure.ts";
import { nodeProblem } from "./problem.ts";
import { nodeUninitialized } from "./uninitialized.ts";

export const nodeCauses: readonly Cause[] = [
  nodeNotReady,
  leaseStale,
  nodePressure,
  nodeUninitialized,
  nodeProblem,
  nodeCordoned,
];
