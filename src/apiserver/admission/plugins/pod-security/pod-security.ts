import type { Resource } from "#/api/base/resource.ts";
import { type Namespace, namespaces, type Pod, type PodSpec } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { formatFieldErrors } from "#/machinery/meta/field-error.ts";
import { forbidden, internalError } from "#/machinery/meta/status-error.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { memoByIdentities } from "#/std/memory/memo.ts";
import type { Registry } from "../../../registry/registry.ts";
import type { ApiObject, Decoded } from "../../../registry/strategy.ts";
import { type Admitted, admissionPlugin } from "../../base/admission-plugin.ts";
import { findNewest, findObject } from "../../base/find-object.ts";
import { admitNamespace } from "./admit-namespace.ts";
import { type Evaluated, PodSecurityMetrics } from "./pod-security-metrics.ts";
import { readSecurityConfiguration, type SecurityConfiguration } from "./security-configuration.ts";
import { isPrivileged, type Mode, policyFromLabels, prefix } from "./security-policy.ts";
import { formatDetails, formatStandard, violationsOf } from "./standard.ts";

type Request = Admitted<ApiObject>;

/** The latest minor version of Kubernetes with known standards. */
const ownMinor = 37;

/** A pod, or the template of pods. */
interface Template {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

interface WithTemplate {
  readonly template?: { metadata?: ObjectMeta; spec?: PodSpec };
  readonly spec?: {
    readonly template?: WithTemplate["template"];
    readonly jobTemplate?: { readonly spec?: { readonly template?: WithTemplate["template"] } };
  };
}

/** Resources with a pod template: violations in them cause warnings, in pods refusals. */
const controllers = [
  { group: "", name: "replicationcontrollers" },
  { group: "", name: "podtemplates" },
  { group: "apps", name: "replicasets" },
  { group: "apps", name: "deployments" },
  { group: "apps", name: "statefulsets" },
  { group: "apps", name: "daemonsets" },
  { group: "batch", name: "jobs" },
  { group: "batch", name: "cronjobs" },
];

/**
 * Pods must meet the standard of their namespace's labels.
 * Upstream: plugin/pkg/admission/security/podsecurity/admission.go,
 * staging/src/k8s.io/pod-security-admission/admission/admission.go.
 */
export const podSecurity = admissionPlugin<ApiObject>({
  name: "PodSecurity",
  on: [
    { group: "", name: "pods" },
    { group: "", name: "namespaces" },
    ...controllers,
  ] as Resource<ApiObject>[],
  subresources: ["", "ephemeralcontainers", "resize"],
  operations: ["CREATE", "UPDATE"],
  open({ registry, metricsRegistry }, given) {
    const metrics = new PodSecurityMetrics(metricsRegistry);
    const configuration = readSecurityConfiguration(given);
    return {
      validate(attributes) {
        const { resource, subresource } = attributes;
        if (resource.name === "namespaces" && resource.group === "") {
          if (subresource !== "") return;
          return admitNamespace(attributes as Admitted<Namespace>, configuration, registry);
        }
        const isPod = resource.name === "pods";
        if (subresource !== "" && !isPod) return;
        return admitTemplate(attributes, configuration, { registry, metrics }, isPod);
      },
    };
  },
});

function admitTemplate(
  attributes: Request,
  configuration: SecurityConfiguration,
  { registry, metrics }: { readonly registry: Registry; readonly metrics: PodSecurityMetrics },
  isPod: boolean,
): MaybePromise<void> {
  const { namespace, user } = attributes;
  const { exemptions } = configuration;
  if (namespace !== "" && exemptions.namespaces.has(namespace)) {
    return exempt(attributes, "namespace", metrics);
  }
  if (exemptions.usernames.has(user.name)) return exempt(attributes, "user", metrics);
  const found = findObject(registry, namespaces, "", namespace);
  if (found) return evaluate(attributes, configuration, found, isPod, metrics);
  return findNewest(registry, namespaces, "", namespace).then((newest) => {
    if (newest) return evaluate(attributes, configuration, newest, isPod, metrics);
    metrics.failed(attributes, true);
    if (isPod) throw internalError(new Error(`failed to lookup namespace ${goQuote(namespace)}`));
  });
}

function exempt(attributes: Request, reason: string, metrics: PodSecurityMetrics): void {
  metrics.exempted(attributes);
  attributes.annotate(`${prefix}exempt`, reason);
}

type LabelledPolicy = ReturnType<typeof policyFromLabels>;

/** The policy of a namespace, cached by the stored namespace. */
const policyOf = memoByIdentities(
  ({ defaults }: SecurityConfiguration, { metadata }: Decoded<Namespace>): LabelledPolicy =>
    policyFromLabels(metadata.labels ?? {}, defaults),
);

function evaluate(
  attributes: Request,
  configuration: SecurityConfiguration,
  namespace: Decoded<Namespace>,
  isPod: boolean,
  metrics: PodSecurityMetrics,
): void {
  const { policy, errors } = policyOf(configuration, namespace);
  if (errors.length === 0 && isPrivileged(policy)) {
    if (!isPod) return;
    attributes.annotate(`${prefix}enforce-policy`, "privileged:latest");
    metrics.evaluated(attributes, evaluated("allow", "enforce", policy.enforce));
    return;
  }
  const lenient = policy.warn.level === "privileged" && policy.audit.level === "privileged";
  if (!isPod && errors.length === 0 && lenient) return;
  if (isPod && isInsignificant(attributes)) return;
  const template = templateOf(attributes.object, isPod);
  if (!template) return;
  const { runtimeClassName } = template.spec;
  if (runtimeClassName && configuration.exemptions.runtimeClasses.has(runtimeClassName)) {
    exempt(attributes, "runtimeClass", metrics);
    return;
  }
  if (errors.length > 0) {
    metrics.failed(attributes, false);
    attributes.annotate(`${prefix}error`, `Failed to parse policy: ${formatFieldErrors(errors)}`);
  }
  judge(attributes, template, policy, isPod, metrics);
}

/** The labels of an evaluation's metric; unknown future versions count as one. */
function evaluated(
  decision: Evaluated["decision"],
  mode: Mode,
  standard: LabelledPolicy["policy"][Mode],
): Evaluated {
  const { level, minor } = standard;
  if (level === "privileged" || minor === Infinity) {
    return { decision, mode, level, version: "latest" };
  }
  return { decision, mode, level, version: minor > ownMinor ? "future" : `v1.${minor}` };
}

function judge(
  attributes: Request,
  { metadata, spec }: Template,
  policy: LabelledPolicy["policy"],
  isPod: boolean,
  metrics: PodSecurityMetrics,
): void {
  const details = (mode: Mode): string => {
    const found = formatDetails(violationsOf(policy[mode], metadata, spec));
    const decision = found === "" ? "allow" : "deny";
    // Only enforced evaluations count as allowed.
    if (decision === "deny" || mode === "enforce") {
      metrics.evaluated(attributes, evaluated(decision, mode, policy[mode]));
    }
    return found;
  };
  const enforced = isPod ? details("enforce") : "";
  if (isPod) attributes.annotate(`${prefix}enforce-policy`, formatStandard(policy.enforce));
  const audited = details("audit");
  if (audited !== "") {
    const standard = goQuote(formatStandard(policy.audit));
    const text = `would violate PodSecurity ${standard}: ${audited}`;
    attributes.annotate(`${prefix}audit-violations`, text);
  }
  if (enforced !== "") {
    const standard = goQuote(formatStandard(policy.enforce));
    const { resource, name } = attributes;
    throw forbidden(resource, name, `violates PodSecurity ${standard}: ${enforced}`);
  }
  const warned = details("warn");
  if (warned === "") return;
  const standard = goQuote(formatStandard(policy.warn));
  attributes.warn(`would violate PodSecurity ${standard}: ${warned}`);
}

function templateOf(object: ApiObject, isPod: boolean): Template | undefined {
  if (isPod) return object as unknown as Template;
  const { template, spec } = object as WithTemplate;
  const found = template ?? spec?.template ?? spec?.jobTemplate?.spec?.template;
  return found?.spec && { metadata: found.metadata ?? {}, spec: found.spec };
}

/** An update is checked only if it adds containers or images. */
function isInsignificant({ operation, object, oldObject }: Request): boolean {
  if (operation !== "UPDATE" || !oldObject) return false;
  const { spec } = object as Decoded<Pod>;
  const { spec: old } = oldObject as Decoded<Pod>;
  const same = (list: readonly { image?: string }[] = [], before: typeof list = []): boolean =>
    list.length === before.length &&
    list.every(({ image }, index) => image === before[index]?.image);
  const ephemeral = new Map(
    (old.ephemeralContainers ?? []).map(({ name, image }) => [name, image]),
  );
  return (
    same(spec.containers, old.containers) &&
    same(spec.initContainers, old.initContainers) &&
    (spec.ephemeralContainers ?? []).every(
      ({ name, image }) => ephemeral.has(name) && ephemeral.get(name) === image,
    )
  );
}
