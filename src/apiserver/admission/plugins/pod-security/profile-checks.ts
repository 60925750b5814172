import type { PodSpec } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { type CheckPod, containersOf, named, plural, quoted, settersOf } from "./check.ts";

/** Checks of AppArmor and seccomp profiles, which are set in fields or, in older versions, in annotations. */

const allowedTypes = new Set(["RuntimeDefault", "Localhost"]);
const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
const podSeccomp = "seccomp.security.alpha.kubernetes.io/pod";
const containerSeccomp = "container.seccomp.security.alpha.kubernetes.io/";

/** Containers must not disable AppArmor. */
export const appArmorProfile: CheckPod = (spec, { annotations = {} }) => {
  const podType = spec.securityContext?.appArmorProfile?.type;
  const pod = podType !== undefined && !allowedTypes.has(podType);
  const values = new Set(pod ? [podType] : []);
  const names: string[] = [];
  for (const { name, securityContext } of containersOf(spec)) {
    const type = securityContext?.appArmorProfile?.type;
    if (type === undefined || allowedTypes.has(type)) continue;
    names.push(name);
    values.add(type);
  }
  const bad = Object.entries(annotations)
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !isAllowedAppArmor(value))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .sort();
  const setters = settersOf(pod, names);
  const list = [...[...values].sort(), ...bad];
  if (list.length === 0) return undefined;
  const all = setters === "" ? [] : [setters];
  if (bad.length > 0) all.push(plural("annotation", "annotations", bad.length));
  return {
    reason: plural("forbidden AppArmor profile", "forbidden AppArmor profiles", list.length),
    detail: `${all.join(" and ")} must not set AppArmor profile type to ${quoted(list)}`,
  };
};

const isAllowedAppArmor = (value: string): boolean =>
  value === "" || value === "runtime/default" || value.startsWith("localhost/");

/** No annotation disables seccomp: the rule before there were fields. */
export const seccompAnnotations: CheckPod = (spec, { annotations = {} }) => {
  const keys = [podSeccomp, ...containersOf(spec).map(({ name }) => containerSeccomp + name)];
  const bad = new Set<string>();
  for (const key of keys) {
    const value = annotations[key];
    if (value === undefined || isAllowedSeccomp(value)) continue;
    bad.add(`${key}=${goQuote(value)}`);
  }
  if (bad.size === 0) return undefined;
  const noun = plural("annotation", "annotations", bad.size);
  return { reason: "seccompProfile", detail: `forbidden ${noun} ${[...bad].sort().join(", ")}` };
};

const isAllowedSeccomp = (value: string): boolean =>
  value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/");

interface Profiles {
  /** Names of containers with a profile that is not allowed. */
  readonly wrong: readonly string[];
  /** Names of containers without a profile of their own. */
  readonly silent: readonly string[];
  readonly podIsWrong: boolean;
  readonly podIsSet: boolean;
  readonly values: readonly string[];
}

function seccompOf(spec: PodSpec): Profiles {
  const podType = spec.securityContext?.seccompProfile?.type;
  const podIsSet = podType !== undefined && allowedTypes.has(podType);
  const podIsWrong = podType !== undefined && !podIsSet;
  const values = new Set(podIsWrong ? [podType] : []);
  const wrong: string[] = [];
  const silent: string[] = [];
  for (const { name, securityContext } of containersOf(spec)) {
    const type = securityContext?.seccompProfile?.type;
    if (type === undefined) silent.push(name);
    else if (!allowedTypes.has(type)) {
      wrong.push(name);
      values.add(type);
    }
  }
  return { wrong, silent, podIsWrong, podIsSet, values: [...values].sort() };
}

function wrongSeccomp({ wrong, podIsWrong, values }: Profiles) {
  if (values.length === 0) return undefined;
  const setters = settersOf(podIsWrong, wrong);
  return {
    reason: "seccompProfile",
    detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(values)}`,
  };
}

/** Seccomp must not be disabled. */
export const seccompProfile: CheckPod = (spec) => wrongSeccomp(seccompOf(spec));

/** Seccomp must be enabled. */
export const seccompProfileRequired: CheckPod = (spec) => {
  const profiles = seccompOf(spec);
  const violation = wrongSeccomp(profiles);
  if (violation || profiles.podIsSet || profiles.silent.length === 0) return violation;
  return {
    reason: "seccompProfile",
    detail: `pod or ${named(profiles.silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};
