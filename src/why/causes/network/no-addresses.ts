import { sandboxCause } from "../../facts/sandbox-failure.ts";

export const noAddresses = sandboxCause({
  name: "no-pod-addresses",
  layer: "network",
  texts:
    /no (?:IP )?addresses available|no available IPs?|range is full|IPAM.*(?:exhausted|full)|no more IPs|failed to (?:allocate|assign) (?:an )?IP/i,
  explain: ([text], { spec }) => ({
    sentence: `node ${spec.nodeName} has no Pod addresses left (${text}): its Pod network range is used up`,
    fix: [
      `kubectl get pods -A --field-selector spec.nodeName=${spec.nodeName} -o wide`,
      "# a larger range per node, or another node",
    ],
  }),
});
