import type { Cause } from "../../base/cause.ts";
import { probeDelay } from "./delay.ts";
import { readinessGate } from "./gate.ts";
import { initContainerSlow } from "./init-slow.ts";
import { notReady } from "./not-ready.ts";
import { readinessProbe } from "./probe.ts";

export const readinessCauses: readonly Cause[] = [
  initContainerSlow,
  readinessProbe,
  probeDelay,
  readinessGate,
  notReady,
];
