import type { Target } from "../../client/elbv2-operations.ts";
import type { LbEnvironment } from "../base/environment.ts";
import type { ServiceGoal } from "../base/goal.ts";
import { type NetworkPort, targetTypeOf } from "./network-ports.ts";

/** The targets of a port: the instances of nodes, or the addresses of Pods. */
export function targetsOf(goal: ServiceGoal, port: NetworkPort, { pods }: LbEnvironment): Target[] {
  if (targetTypeOf(goal.service) === "instance") {
    return [...goal.instances.keys()].map((id) => ({ Id: id, Port: port.targetPort }));
  }
  const endpoints = pods.endpointsOf(goal.service, port.name);
  return endpoints.map((endpoint) => ({ Id: endpoint.address, Port: endpoint.port }));
}
