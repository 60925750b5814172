import type { Condition } from "#/api/meta/v1.ts";
import type { ServiceCIDR } from "#/api/networking/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { formatTime } from "#/machinery/time/time.ts";

/**
 * The network of --service-cluster-ip-range as an object.
 *
 * Upstream: pkg/controlplane/controller/defaultservicecidr/default_servicecidr_controller.go.
 */
export const defaultServiceCidrName = "kubernetes";

/** The next step for the default ServiceCIDR. */
type ServiceCidrStep =
  | { readonly do: "create" | "update" | "updateStatus"; readonly object: ServiceCIDR }
  | { readonly do: "nothing" }
  /** It differs from the flags, and can't be changed. */
  | { readonly do: "warn"; readonly message: string };

/** Compares the flag's networks with the existing object, if there is one. */
export function planDefaultServiceCidr(
  cidrs: readonly string[],
  current: ServiceCIDR | undefined,
  now: number,
): ServiceCidrStep {
  if (!current) return { do: "create", object: newServiceCidr(cidrs) };
  const { spec, status, metadata } = current;
  const [first] = cidrs;
  if (cidrs.length === 2 && spec.cidrs?.length === 1 && spec.cidrs[0] === first) {
    return { do: "update", object: { ...current, spec: { cidrs: [...cidrs] } } };
  }
  if (metadata.deletionTimestamp !== undefined) return { do: "nothing" };
  if (!deepEqual(spec.cidrs, cidrs)) {
    const [actual, wanted] = [`[${(spec.cidrs ?? []).join(" ")}]`, `[${cidrs.join(" ")}]`];
    const message = `The default ServiceCIDR ${actual} does not match the controller flag configurations ${wanted}`;
    return { do: "warn", message };
  }
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready && ready.status !== "Unknown") return { do: "nothing" };
  const others = (status?.conditions ?? []).filter(({ type }) => type !== "Ready");
  const conditions = [...others, readyCondition(now)];
  return { do: "updateStatus", object: { ...current, status: { conditions } } };
}

function newServiceCidr(cidrs: readonly string[]): ServiceCIDR {
  return {
    kind: "ServiceCIDR",
    apiVersion: "networking.k8s.io/v1",
    metadata: { name: defaultServiceCidrName },
    spec: { cidrs: [...cidrs] },
  };
}

const readyCondition = (now: number): Condition => ({
  type: "Ready",
  status: "True",
  lastTransitionTime: formatTime(now),
  reason: "",
  message: "Kubernetes default Service CIDR is ready",
});
