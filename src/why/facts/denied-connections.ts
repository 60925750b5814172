import type { Pod } from "#/api/core/v1.ts";
import { networkPolicies } from "#/api/networking/v1.ts";
import type { EventFact, View } from "../base/view.ts";
import { podEvent } from "./pod-events.ts";

/** A connection of a Pod that its node has denied. */
interface DeniedConnection {
  readonly event: EventFact;
  readonly direction: "ingress" | "egress";
  /** The policies that deny it, as KIND/NAMESPACE/NAME. */
  readonly policies: readonly string[];
}

/** The latest denied connection of a Pod, unless the policies that deny it are gone. */
export function deniedConnection(pod: Pod, view: View): DeniedConnection | undefined {
  const event = podEvent(pod, view, ["NetworkPolicyDenied"]);
  if (!event) return undefined;
  const policies = [...event.message.matchAll(/\w*NetworkPolicy\/[\w./-]*\w/g)].map(
    ([name]) => name,
  );
  const isThere = (policy: string): boolean => {
    const [kind, namespace, name] = policy.split("/");
    if (kind !== "NetworkPolicy" || !namespace || !name) return true;
    return !view.isAbsent(networkPolicies, { namespace, name });
  };
  if (!policies.some(isThere)) return undefined;
  const direction = event.message.startsWith("Denied a connection to") ? "egress" : "ingress";
  return { event, direction, policies: policies.filter(isThere) };
}
