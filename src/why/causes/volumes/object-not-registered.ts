import { mountCause, volumeText } from "../../facts/mount-failure.ts";

export const objectNotRegistered = mountCause({
  name: "volume-object-unknown-to-node",
  texts: /object "([^"]+)"\/"([^"]+)" not registered|failed to sync (?:configmap|secret) cache/,
  explain: ([, , name], failure) => ({
    sentence: `the node could not read ${name ? `"${name}"` : "the ConfigMap or Secret"} for its volume${volumeText(failure)} yet`,
    certainty: "likely",
    fix: ["k8ts logs kubelet"],
  }),
});
