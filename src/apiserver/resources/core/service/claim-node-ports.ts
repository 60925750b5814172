import { type Service, services } from "#/api/core/v1.ts";
import { invalid } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import {
  fromStatus,
  internalError,
  invalid as invalidObject,
} from "#/machinery/meta/status-error.ts";
import type { Claim, Decoded, RequestContext } from "../../../registry/strategy.ts";
import type { NodePorts } from "./allocators/node-ports.ts";
import { assignNodePorts, NodePortError, type NodePortPlan } from "./assign-node-ports.ts";
import { hasNodePorts, needsHealthCheck } from "./kinds-of-service.ts";

const noClaim: Claim = { commit: () => undefined, rollback: () => undefined };

/** Allocates the node ports that a Service needs; old is the Service that an update replaces. */
export async function claimNodePorts(
  service: Decoded<Service>,
  old: Service | undefined,
  nodePorts: NodePorts,
  context: RequestContext,
): Promise<Claim> {
  const needsPorts = [service, old].some(
    (one) => one && (hasNodePorts(one) || needsHealthCheck(one)),
  );
  if (!needsPorts) return noClaim;
  if (old) rejectDuplicates(service);
  const { storage } = context.store(services);
  const plan = await planPorts(service, old, nodePorts, context);
  if (service.spec.ports) service.spec.ports = [...plan.ports];
  if (plan.healthCheckNodePort) service.spec.healthCheckNodePort = plan.healthCheckNodePort;
  if (context.dryRun) return noClaim;
  return {
    commit: () => nodePorts.release(storage, plan.released),
    rollback: () => nodePorts.release(storage, plan.taken),
  };
}

async function planPorts(
  service: Decoded<Service>,
  old: Service | undefined,
  nodePorts: NodePorts,
  context: RequestContext,
): Promise<NodePortPlan> {
  const { storage } = context.store(services);
  try {
    const assign = (ports: Parameters<typeof assignNodePorts>[2]) =>
      assignNodePorts(service, old, ports);
    return context.dryRun
      ? await nodePorts.tryTake(storage, assign)
      : await nodePorts.take(storage, assign);
  } catch (error) {
    throw error instanceof NodePortError ? refusal(service, error) : error;
  }
}

function refusal({ metadata }: Decoded<Service>, { cause, port, index }: NodePortError) {
  const { message } = cause;
  if (index === undefined) {
    const what = port === 0 ? "a HealthCheck NodePort 0" : `requested HealthCheck NodePort ${port}`;
    return internalError(new Error(`failed to allocate ${what}: ${message}`));
  }
  if (port === 0) return internalError(new Error(`failed to allocate a nodePort: ${message}`));
  const path = fieldPath("spec", "ports").index(index).child("nodePort");
  return invalidObject(services, metadata.name ?? "", [invalid(path, port, message)]);
}

/** On update, upstream reports a duplicate node port before validation. */
function rejectDuplicates(service: Service): void {
  if (!hasNodePorts(service)) return;
  const seen = new Set<string>();
  for (const { protocol, nodePort } of service.spec.ports ?? []) {
    if (!nodePort) continue;
    const key = `${protocol} ${nodePort}`;
    if (seen.has(key)) {
      const message = `duplicate nodePort: {${key}}`;
      throw fromStatus({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message,
        code: 500,
      });
    }
    seen.add(key);
  }
}
