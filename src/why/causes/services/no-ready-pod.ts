import { type Service, services } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { count, names } from "../../base/text.ts";
import { hasEnded, isReady } from "../../facts/containers.ts";
import { hasSelector, selectedPods } from "../../facts/services/service-pods.ts";

/** The Pods' own causes are deeper, and say why they are not ready. */
export const noReadyPod = cause<Service>({
  name: "no-ready-endpoint",
  layer: "readiness",
  isSummary: true,
  group: "endpoints",
  of: [services],
  find(service, view) {
    if (!hasSelector(service) || service.spec?.publishNotReadyAddresses) return undefined;
    const found = selectedPods(service, view) ?? [];
    if (found.length === 0 || found.some(isReady)) return undefined;
    const list = names(found.map(({ metadata }) => `pod/${metadata.name}`));
    if (found.every(hasEnded)) {
      return {
        sentence: `it selects only Pods that have ended (${list}), so it has no endpoint`,
        fix: ["# select Pods that go on running, as those of a Deployment"],
      };
    }
    return {
      sentence: `none of the ${count(found.length, "Pod")} that it selects is ready (${list}), so it has no ready endpoint`,
      fix: [`kubectl why pod/${found[0]?.metadata.name}`],
    };
  },
});
