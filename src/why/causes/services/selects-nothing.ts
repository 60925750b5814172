import { deployments, statefulSets } from "#/api/apps/v1.ts";
import { type Pod, pods, type Service, services } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import type { View } from "../../base/view.ts";
import { hasSelector, selectedPods, selectorText } from "../../facts/service-pods.ts";

export const selectsNothing = cause<Service>({
  name: "selector-matches-nothing",
  layer: "service",
  group: "endpoints",
  of: [services],
  find(service, view) {
    if (!hasSelector(service) || service.spec?.type === "ExternalName") return undefined;
    const selector = service.spec?.selector ?? {};
    const found = selectedPods(service, view);
    if (!found || found.length > 0) return undefined;
    const { namespace = "", name } = service.metadata;
    const idle = idleWorkload(selector, namespace, view);
    if (idle) {
      return {
        sentence: `its selector ${selectorText(selector)} matches no Pod: ${idle} is scaled to 0`,
        fix: [`kubectl scale ${idle} --replicas=1`],
      };
    }
    const near = nearest(selector, view.list(pods, { namespace }) ?? []);
    return {
      sentence: `its selector ${selectorText(selector)} matches no Pod${near ? ` (${near.text})` : ""}, so it has no endpoints`,
      evidence: near
        ? [`pod/${near.pod} has the labels ${near.labels}`]
        : [`namespace ${namespace} has no Pod with any of these labels`],
      fix: near
        ? [`kubectl set selector service/${name} '${near.selector}'`]
        : [`kubectl get pods --show-labels`],
    };
  },
});

/** A workload whose template has the labels, and that has no replicas. */
function idleWorkload(
  selector: Readonly<Record<string, string>>,
  namespace: string,
  view: View,
): string | undefined {
  for (const resource of [deployments, statefulSets]) {
    const idle = (view.list(resource as typeof deployments, { namespace }) ?? []).find(
      ({ spec }) =>
        spec.replicas === 0 &&
        Object.entries(selector).every(
          ([key, value]) => spec.template.metadata.labels?.[key] === value,
        ),
    );
    if (idle) return `${resource.kind.toLowerCase()}/${idle.metadata.name}`;
  }
  return undefined;
}

interface NearPod {
  readonly pod: string;
  readonly text: string;
  readonly labels: string;
  readonly selector: string;
}

/** The Pod that fits a selector best, if at least one of its keys is there. */
function nearest(
  selector: Readonly<Record<string, string>>,
  all: readonly Pod[],
): NearPod | undefined {
  const wanted = Object.entries(selector);
  const ranked = all
    .map(({ metadata }) => ({
      name: metadata.name ?? "",
      labels: metadata.labels ?? {},
      same: wanted.filter(([key, value]) => metadata.labels?.[key] === value).length,
      keys: wanted.filter(([key]) => metadata.labels?.[key] !== undefined).length,
    }))
    .filter(({ keys }) => keys > 0)
    .sort((a, b) => b.same - a.same || b.keys - a.keys);
  const [best] = ranked;
  if (!best) return undefined;
  const wrong = wanted.filter(([key, value]) => best.labels[key] !== value);
  const text = wrong.map(([key]) =>
    best.labels[key] === undefined
      ? `pod/${best.name} has no label ${key}`
      : `pod/${best.name} has ${key}=${best.labels[key]}`,
  );
  const right = wanted.flatMap(([key]) =>
    best.labels[key] === undefined ? [] : [`${key}=${best.labels[key]}`],
  );
  return {
    pod: best.name,
    text: text.join(", "),
    labels: selectorText(best.labels),
    selector: right.join(","),
  };
}
