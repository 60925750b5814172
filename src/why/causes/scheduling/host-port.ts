import { type Pod, pods } from "#/api/core/v1.ts";
import { names } from "../../base/text.ts";
import { hasEnded, isScheduled } from "../../facts/containers.ts";
import { schedulingCause } from "../../facts/unschedulable.ts";

export const hostPort = schedulingCause({
  name: "host-port-in-use",
  texts: /didn't have free ports/,
  explain(_match, pod, view) {
    const wanted = hostPorts(pod);
    const users = (view.list(pods) ?? [])
      .filter((other) => isScheduled(other) && !hasEnded(other))
      .filter((other) => hostPorts(other).some((port) => wanted.includes(port)))
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    const by = users.length > 0 ? ` by ${names(users)}` : "";
    return {
      sentence: `its hostPort ${wanted.join(", ")} is in use on every node${by}`,
      fix: ["# leave hostPort out and use a Service, or free the port, or add a node"],
    };
  },
});

const hostPorts = ({ spec }: Pod): number[] =>
  spec.containers
    .flatMap(({ ports }) => ports ?? [])
    .map(({ hostPort: port, containerPort }) => port ?? (spec.hostNetwork ? containerPort : 0))
    .filter((port) => port > 0);
