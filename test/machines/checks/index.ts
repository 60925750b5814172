import type { Checks } from "../check.ts";
import { addressChecks } from "./address.ts";
import { arm64Checks } from "./arm64.ts";
import { firewallChecks } from "./firewalls.ts";
import { leaveChecks } from "./leave.ts";
import { limitChecks } from "./limits.ts";
import { namespaceChecks, namespaceLeaveChecks } from "./namespaces.ts";
import { neighbourChecks } from "./neighbours.ts";
import { nodeChecks } from "./nodes.ts";
import { proxyChecks } from "./proxies.ts";
import { rebootChecks } from "./reboot.ts";
import { startChecks } from "./start.ts";
import { troubleChecks } from "./trouble.ts";
import { unitChecks } from "./units.ts";

export { arm64Checks };

/** Checks of a machine, in the order in which they run. Those that need no cluster come first: they start with a bare machine. */
export const machineChecks: Checks = [
  ...leaveChecks,
  ...namespaceLeaveChecks,
  ...startChecks,
  ...limitChecks,
  ...troubleChecks,
  ...unitChecks,
  ...proxyChecks,
  ...firewallChecks,
  ...neighbourChecks,
  ...namespaceChecks,
  ...nodeChecks,
  ...addressChecks,
  ...rebootChecks,
];

/** Every row of the table. */
export const allChecks: Checks = [...machineChecks, ...arm64Checks];
