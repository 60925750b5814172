import { table } from "#/std/base/table.ts";
import type { ActionStrategy } from "../registry/strategy.ts";
import { podProxyAction } from "./cluster-proxies.ts";
import { getLog } from "./pod-log.ts";
import { attachAction, execAction, portForwardAction } from "./pod-streams.ts";

/** The subresources of pods that connect to their node or to the pod itself. */
export const podConnectActions: Readonly<Record<string, ActionStrategy>> = table({
  log: { get: getLog },
  exec: execAction,
  attach: attachAction,
  portforward: portForwardAction,
  proxy: podProxyAction,
});
