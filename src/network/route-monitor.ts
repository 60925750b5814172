import { boundToThisProcess } from "#/std/process/follow-program.ts";

/** Also links and addresses: removing one removes its routes without a report. */
export const routeMonitor = boundToThisProcess("ip", "-o", "monitor", "route", "link", "address");
