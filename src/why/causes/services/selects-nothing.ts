import { deployments, statefulSets } from "#/api/apps/v1.ts";
import { type Pod, pods, type Service, services } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import type { View } from "../../base/view.ts";
import {
  hasSelector,
  isHeadless,
  selectedPods,
  selectorText,
} from "../../facts/services/service-pods.ts";

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
    const near = nearest(selector, view.list(pods, { namespace }) ?? []);
    if (isHeadless(service) && (idle || !near)) return undefined;
    if (idle) {
      return {
        sentence: `its selector ${selectorText(selector)} matches no Pod: ${idle} is scaled to 0`,
        fix: [`kubectl scale ${idle} --replicas=1`],
      };
    }
    const elsewhere = near ? undefined : namespaceWith(selector, view);
    const hint = near?.text ?? elsewhere;
    return {
      sentence: `its selector ${selectorText(selector)} matches no Pod${hint ? ` (${hint})` : ""}, so it has no endpoints`,
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

/** Says where else there are Pods with the labels: a Service selects those of its own namespace only. */
function namespaceWith(selector: Readonly<Record<string, string>>, view: View): string | undefined {
  const [pod] = view.list(pods, { labelSelector: selectorText(selector) }) ?? [];
  const { name, namespace } = pod?.metadata ?? {};
  return pod && `pod/${name} has these labels, but in the namespace ${namespace}`;
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
      values: wanted.filter(([key, value]) => isAlike(metadata.labels, key, value)).length,
    }))
    .filter(({ keys, values }) => keys + values > 0)
    .sort((a, b) => b.same - a.same || b.keys - a.keys || b.values - a.values);
  const [best] = ranked;
  if (!best) return undefined;
  const wrong = wanted.filter(([key, value]) => best.labels[key] !== value);
  const text = wrong.map(([key, value]) => {
    const [like] = best.labels[key] === undefined ? alike(best.labels, key, value) : [];
    if (like) return `pod/${best.name} has ${like[0]}=${like[1]}`;
    return best.labels[key] === undefined
      ? `pod/${best.name} has no label ${key}`
      : `pod/${best.name} has ${key}=${best.labels[key]}`;
  });
  const right = wanted.flatMap(([key, value]) => {
    if (best.labels[key] !== undefined) return [`${key}=${best.labels[key]}`];
    return alike(best.labels, key, value).map((like) => like.join("="));
  });
  return {
    pod: best.name,
    text: text.join(", "),
    labels: selectorText(best.labels),
    selector: right.join(","),
  };
}

/** Labels that are meant, but for upper and lower case, or the prefix of the key. */
const alike = (
  labels: Readonly<Record<string, string>>,
  key: string,
  value: string,
): readonly (readonly [key: string, value: string])[] =>
  Object.entries(labels).filter(
    ([other, own]) =>
      plainKey(other) === plainKey(key) && own.toLowerCase() === value.toLowerCase(),
  );

const isAlike = (
  labels: Readonly<Record<string, string>> | undefined,
  key: string,
  value: string,
): boolean => labels?.[key] === undefined && alike(labels ?? {}, key, value).length > 0;

const plainKey = (key: string): string => key.slice(key.lastIndexOf("/") + 1).toLowerCase();
